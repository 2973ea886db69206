"""Methods of classes of which one lies between two others that share a method."""

from tests.convert.agreement import CONVERTED, agrees


class Node:
  def __init__(self, v, *kids):
    self.v, self.kids = v, kids

  def weight(self):
    return 1

  def shown(self):
    return "node"


class Heavy(Node):
  def weight(self):
    return super().weight() + self.v

  def shown(self):
    return "heavy"


class Lead(Heavy):
  def weight(self):
    return 3 * super().weight()

  shown = Node.shown  # As the class two above, and not as the one above.


def trees():
  few = Node(0, Heavy(2, Node(1)), Lead(5, Heavy(1)))
  return [(few,), (Lead(2, Lead(1), Node(3, Heavy(4), few)),), (Heavy(1),)]


def weights(decorate):
  @decorate
  def total(n):
    return n.weight() + sum(total(k) for k in n.kids)

  return total


def texts(decorate):
  @decorate
  def text(n):
    return n.shown() + "".join(text(k) for k in n.kids)

  return text


def classes(decorate):
  @decorate
  def count(n):
    own = 1 if type(n) is Heavy else 10 if type(n) in (Node, Lead) else 100
    return own + sum(count(k) for k in n.kids)

  return count


def test_methods_are_those_of_each_class():
  for build in (weights, texts, classes):
    agrees(build, trees, expect=CONVERTED)
