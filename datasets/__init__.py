"""Trees as data: reading, packing into flat arrays, batches, sample and synthetic trees.

From text to batches: `load_sst()`, `load_sample()` or `load_treebank(path)` give lists of `Tree`;
`Vocabulary.from_trees(trees)` numbers the words; `PackedTrees.pack(trees, vocabulary)` lays a
treebank out flat; `make_dataset(packed, batch_size=25)` is a `tf.data.Dataset` of `TreeBatch`.
Trees with any number of children, and words at inner nodes, too: `PackedNaryTrees`, `NaryBatch`.
Dependency trees go the same way: `DependencyTree`, `PackedDependencies`, `DependencyBatch`.
"""

from recursive_tf.datasets.batch import NODE_COLUMNS as NODE_COLUMNS
from recursive_tf.datasets.batch import TreeBatch as TreeBatch
from recursive_tf.datasets.batch import TreeSelection as TreeSelection
from recursive_tf.datasets.batch import TreeTable as TreeTable
from recursive_tf.datasets.brackets import parse_brackets as parse_brackets
from recursive_tf.datasets.brackets import tree_of_nltk as tree_of_nltk
from recursive_tf.datasets.conllu import load_conllu_treebank as load_conllu_treebank
from recursive_tf.datasets.conllu import load_ud as load_ud
from recursive_tf.datasets.dependencies import DependencyBatch as DependencyBatch
from recursive_tf.datasets.dependencies import DependencyTree as DependencyTree
from recursive_tf.datasets.dependencies import PackedDependencies as PackedDependencies
from recursive_tf.datasets.grammar_sentences import load_grammar as load_grammar
from recursive_tf.datasets.nary import NARY_COLUMNS as NARY_COLUMNS
from recursive_tf.datasets.nary import NaryBatch as NaryBatch
from recursive_tf.datasets.nary import NarySelection as NarySelection
from recursive_tf.datasets.nary import PackedNaryTrees as PackedNaryTrees
from recursive_tf.datasets.packing import PackedTrees as PackedTrees
from recursive_tf.datasets.pairs import PackedPairs as PackedPairs
from recursive_tf.datasets.pairs import PairBatch as PairBatch
from recursive_tf.datasets.pipeline import epoch_order as epoch_order
from recursive_tf.datasets.pipeline import make_dataset as make_dataset
from recursive_tf.datasets.pipeline import num_batches as num_batches
from recursive_tf.datasets.ptb import ReadReport as ReadReport
from recursive_tf.datasets.ptb import read_ptb as read_ptb
from recursive_tf.datasets.ptb import write_ptb as write_ptb
from recursive_tf.datasets.relations import UD_RELATIONS as UD_RELATIONS
from recursive_tf.datasets.relations import PackedRelations as PackedRelations
from recursive_tf.datasets.relations import RelationBatch as RelationBatch
from recursive_tf.datasets.sample import load_sample as load_sample
from recursive_tf.datasets.sick import SickPair as SickPair
from recursive_tf.datasets.sick import load_sick as load_sick
from recursive_tf.datasets.sick import load_sick_split as load_sick_split
from recursive_tf.datasets.sick import relatedness_distribution as relatedness_distribution
from recursive_tf.datasets.sst import load_sst as load_sst
from recursive_tf.datasets.structure import binarise as binarise
from recursive_tf.datasets.structure import tokenize as tokenize
from recursive_tf.datasets.structure import tree_of_words as tree_of_words
from recursive_tf.datasets.synthetic import synthetic_tree as synthetic_tree
from recursive_tf.datasets.tree import Tree as Tree
from recursive_tf.datasets.treebank import load_treebank as load_treebank
from recursive_tf.datasets.vectors import WordVectors as WordVectors
from recursive_tf.datasets.vectors import read_vectors as read_vectors
from recursive_tf.datasets.vocabulary import Vocabulary as Vocabulary
