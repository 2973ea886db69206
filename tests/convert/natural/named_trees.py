"""What the programs over named nodes share: trees, and calls on them."""


class Node:
  def __init__(self, value, name="n", children=()):
    self.value, self.name, self.children = value, name, list(children)


def sample():
  return Node(1, "root", [Node(2, "a", [Node(4, "c"), Node(5, "d", [Node(6, "a")])]), Node(3, "b")])


def calls():
  yield (Node(7, "leaf"),)
  tree = sample()
  yield (tree,)
  tree.children[0].value = 10
  tree.children.append(Node(-2, "new", [Node(0, "zero")]))
  yield (tree,)
  yield (tree.children[0],)
