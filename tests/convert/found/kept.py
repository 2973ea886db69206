"""Ways to keep what calls return for the children of a node, where it is not None."""


def by_append(visit, node):
  kept = []
  for kid in node.kids:
    found = visit(kid)
    if found is not None:
      kept.append(found)
  return kept


def by_continue(visit, node):
  kept = []
  for kid in node.kids:
    found = visit(kid)
    if found is None:
      continue
    kept.append(found)
  return kept


def by_comprehension(visit, node):
  return [found for found in map(visit, node.kids) if found is not None]


def by_truth(visit, node):
  kept = []
  for kid in node.kids:
    found = visit(kid)
    if found:
      kept.append(found)
  return kept
