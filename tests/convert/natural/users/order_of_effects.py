"""Order of evaluation, short circuits, effects between calls."""
import tensorflow as tf


class Node:
  count = 0
  def __init__(self, v, *kids):
    self.v, self.kids, self.parent, self.out = v, list(kids), None, 0
    for k in kids:
      k.parent = self


def t():
  return Node(2, Node(-3, Node(1)), Node(4, Node(6), Node(-1)), Node(0, Node(5)))


def calls(state):
  x = t()
  yield (x,)
  yield (Node(-1),)
  x.kids[1].kids[0].v = -7
  yield (x,)
  x.kids[0].v = 8
  yield (x,)


def build_any_prints(recursive):
  @recursive
  def found(n):
    print("at", n.v)
    return n.v < 0 or any(found(k) for k in n.kids)
  return found


def build_all_writes(recursive):
  @recursive
  def ok(n):
    n.out += 1
    if n.v < -5:
      return False
    return all(ok(k) for k in n.kids)
  return ok


def build_all_list_writes(recursive):
  @recursive
  def ok(n):
    n.out += 1
    if n.v < -5:
      return False
    return all([ok(k) for k in n.kids])
  return ok


def build_total_self_ref(recursive):
  class Acc:
    def __init__(self): self.total = 0
    @recursive
    def visit(self, n):
      self.total = self.total + n.v
      for k in n.kids:
        self.total = self.total + self.visit(k)
      return self.total
  a = Acc()
  return a.visit, [a]


def build_nonlocal_read_first(recursive):
  total = 0
  @recursive
  def visit(n):
    nonlocal total
    total += n.v
    before = total
    for k in n.kids:
      total += visit(k)
    return total - before
  return visit, [lambda: total]


def build_parent_changes(recursive):
  @recursive
  def push(n):
    s = n.v
    for k in n.kids:
      s = n.v + push(k) + n.v
    if n.parent is not None:
      n.parent.v += 1
    return s
  return push


def build_parent_sum(recursive):
  @recursive
  def up(n):
    for k in n.kids:
      up(k)
    if n.parent is not None:
      n.parent.out = n.parent.out + n.v + n.out
    return n.out
  return up


def build_args_order(recursive):
  log = []
  @recursive
  def f(n, d):
    log.append((n.v, d))
    return d + len(log)
  def g(n):
    s = 0
    for k in n.kids:
      s += f(k, g(k)) - f(n, s)
    return s
  return recursive(g), [log]


def build_print_around(recursive):
  @recursive
  def visit(n):
    print("enter", n.v)
    total = n.v
    for k in n.kids:
      if k.v < 0:
        print("skip", k.v)
        continue
      total += visit(k)
      if total > 5:
        print("enough")
        break
    else:
      print("all of", n.v)
    print("leave", n.v, total)
    return total
  return visit


def build_swap_tuple(recursive):
  @recursive
  def rotate(n):
    if len(n.kids) >= 2:
      a, b = n.kids[0], n.kids[1]
      a.v, b.v = b.v, a.v
    for k in n.kids:
      rotate(k)
    n.v, n.out = n.out, n.v
  return rotate


def build_sibling_reads(recursive):
  @recursive
  def visit(n):
    prev = None
    for k in n.kids:
      if prev is not None:
        k.out = prev.out + 1
      else:
        k.out = n.out * 10
      visit(k)
      prev = k
  return visit


def build_global_counter(recursive):
  @recursive
  def number(n):
    global COUNTER
    COUNTER += 1
    n.out = COUNTER
    for k in n.kids:
      number(k)
    return COUNTER
  return number, [lambda: COUNTER]
COUNTER = 0


def build_class_counter(recursive):
  @recursive
  def number(n):
    Node.count += 1
    n.out = Node.count
    for k in n.kids:
      number(k)
  return number, [lambda: Node.count]


def build_append_both_sides(recursive):
  log = []
  @recursive
  def visit(n):
    log.append(n.v)
    log.append(sum([visit(k) for k in n.kids]))
    log.append(len(log))
    return n.v
  return visit, [log]


def build_last_loop_var(recursive):
  @recursive
  def visit(n):
    k = n
    for k in n.kids:
      visit(k)
    n.out = k.v
    return k
  return visit


def build_early_stop_state(recursive):
  class Search:
    def __init__(self): self.found, self.steps = None, 0
    @recursive
    def go(self, n):
      if self.found is not None:
        return
      self.steps += 1
      if n.v < 0:
        self.found = n
        return
      for k in n.kids:
        self.go(k)
  s = Search()
  return s.go, [s]


def build_budget(recursive):
  class B:
    def __init__(self): self.left = 4
  b = B()
  @recursive
  def expand(n):
    if b.left <= 0:
      return 0
    b.left -= 1
    return 1 + sum(expand(k) for k in n.kids)
  return expand, [b]


def build_two_passes(recursive):
  @recursive
  def balance(n):
    sizes = [balance(k) for k in n.kids]
    n.out = 1 + sum(sizes)
    biggest = max(sizes, default=0)
    for k in n.kids:
      if k.out == biggest:
        k.v = 100
        break
    return n.out
  return balance


def build_list_in_attr(recursive):
  class Rec:
    def __init__(self): self.path, self.best = [], []
    @recursive
    def walk(self, n):
      self.path.append(n.v)
      if sum(self.path) > sum(self.best):
        self.best = list(self.path)
      for k in n.kids:
        self.walk(k)
      self.path.pop()
  r = Rec()
  return r.walk, [r]


def build_tensor_state(recursive):
  w = tf.Variable([1.0, 2.0])
  class Ctx:
    def __init__(self): self.h = tf.zeros([2])
  c = Ctx()
  @recursive
  def visit(n):
    c.h = tf.tanh(c.h * w + float(n.v))
    for k in n.kids:
      visit(k)
    return c.h + c.h
  return visit, [c, w]


def build_tensor_list_pop(recursive):
  w = tf.Variable([0.5, 0.25])
  @recursive
  def visit(n, stack):
    for k in n.kids:
      visit(k, stack)
    h = w * float(n.v)
    for _ in n.kids:
      h += stack.pop()
    stack.append(h)
    return stack
  return visit, [w]
def calls_tensor_list_pop(state):
  for (x,) in calls(state):
    yield (x, [])


def build_stack_machine(recursive):
  @recursive
  def run(code, pc, stack):
    if pc >= len(code):
      return stack[-1]
    op = code[pc]
    if op == "add":
      b, a = stack.pop(), stack.pop()
      stack.append(a + b)
    elif op == "mul":
      b, a = stack.pop(), stack.pop()
      stack.append(a * b)
    else:
      stack.append(len(op))
    return run(code, pc + 1, stack)
  return run
def calls_stack_machine(state):
  yield (["aa", "bbb", "mul", "c", "add"], 0, [])
  yield (["zz"], 0, [])
  yield (["zz", "add"], 0, [])


def build_ternary_calls(recursive):
  @recursive
  def f(n):
    n.out += 1
    return n.v if not n.kids else (f(n.kids[0]) if n.v > 0 else f(n.kids[-1])) + (f(n.kids[0]) if n.out < 3 else 0)
  return f


def build_walrus(recursive):
  @recursive
  def f(n):
    if (m := max([f(k) for k in n.kids], default=0)) > 4:
      return m
    return m + n.v
  return f
