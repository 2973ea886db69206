#ifndef EXAMPLES_SERVE_CPP_BRACKET_READER_H_
#define EXAMPLES_SERVE_CPP_BRACKET_READER_H_

#include <stdexcept>
#include <string>
#include <string_view>

#include "packed_trees.h"
#include "words.h"

namespace serve {

// What is wrong with a line, and in which column: characters, counted from 1.
class BadLine : public std::runtime_error {
 public:
  BadLine(size_t column, const std::string& what)
      : std::runtime_error(what), column_(column) {}
  size_t column() const { return column_; }

 private:
  size_t column_;
};

// Adds the tree of one line to `trees`, which is as it was if the line is bad.
//
// The grammar is that of `recursive-tf predict`:
//
//     tree := '(' [label] item+ ')'        item := word | tree
//
// A label is a whole number 0..num_labels-1, a label of the Penn Treebank, or
// '_'; labels are not used. A node with one child is left out, and one with
// more than two is split, right-branching. A tree may be as deep as memory
// allows.
//
// Throws BadLine.
void ReadTree(std::string_view line, int num_labels, const Words& words,
              PackedTrees* trees);

}  // namespace serve

#endif  // EXAMPLES_SERVE_CPP_BRACKET_READER_H_
