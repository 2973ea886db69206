"""What programs ask of a node and its children, as numbers."""

import operator


def _flags(*truths):
  return sum(2**i if truth else 0 for i, truth in enumerate(truths))


def may_be_none(n):
  first = n.kids[0] if n.kids else None
  return _flags(first == n, n == first, first != n, None == n)  # noqa: E711


def where(n):
  return n.kids.index(n) if n in n.kids else -1


def removed(n):
  left = list(n.kids)
  if n in left:
    left.remove(n)
  return len(left)


def between(n):
  return 1 if len(n.kids) > 1 and n.kids[0] < n < n.kids[1] else 0


def unique(n):
  found = []
  for kid in n.kids:
    if kid not in found:
      found.append(kid)
  return len(found)


def _weighted(kids):
  return sum(i * kid.v for i, kid in enumerate(kids))


ASKS = {
  "equal": lambda n: sum(1 if kid == n else 0 for kid in n.kids),
  "not equal": lambda n: sum(1 if n != kid else 0 for kid in n.kids),
  "less": lambda n: sum(1 if kid < n else 0 for kid in n.kids),
  "greater": lambda n: sum(1 if n > kid else 0 for kid in n.kids),
  "at least": lambda n: sum(1 if n >= kid else 0 for kid in n.kids),
  "at most": lambda n: sum(1 if n <= kid else 0 for kid in n.kids),
  "may be None": may_be_none,
  "between": between,
  "of two": lambda n: max(n, n.kids[0]).v if n.kids else 0,
  "best or itself": lambda n: max(n.kids, default=n).v,
  "pairs": lambda n: sum(1 for a in n.kids for b in n.kids if a == b),
  "where": where,
  "removed": removed,
  "unique": unique,
  "count": lambda n: n.kids.count(n),
  "in": lambda n: 1 if n in n.kids else 0,
  "in a tuple": lambda n: 1 if n.kids and n in (n.kids[0], None, 3) else 0,
  "not in": lambda n: 1 if n.kids and n.kids[0] not in n.kids[1:] else 0,
  "a number": lambda n: _flags(n == 1, n.v == n),
  "sorted": lambda n: _weighted(sorted(n.kids)),
  "backwards": lambda n: _weighted(sorted(n.kids, reverse=True)),
  "by a key": lambda n: _weighted(sorted(n.kids, key=lambda kid: (kid.v % 2, kid))),
  "max": lambda n: max(n.kids).v if n.kids else 0,
  "min": lambda n: min(n.kids).v if n.kids else 0,
  "max by a key": lambda n: max(n.kids, key=lambda kid: kid).v if n.kids else 0,
  "lists": lambda n: 1 if n.kids and n.kids == n.kids[0].kids else 0,
  "order of lists": lambda n: 1 if n.kids and n.kids < n.kids[0].kids else 0,
  "tuples": lambda n: 1 if n.kids and (n.v, n) < (n.kids[0].v, n.kids[0]) else 0,
  "by operator": lambda n: 1 if n.kids and operator.eq(n, n.kids[-1]) else 0,
}
