"""PyTorch, batched by hand, without autograd: the backward pass written out, nothing allocated.

What runs: numpy plans the levels (`levels.py`). States, gates and gradients of all nodes lie in
buffers that are kept between steps and grow when a batch is larger than all before. A level's
children are a view of the state buffer, so forward needs no gather; the backward product of a level
adds onto the gradients that the loss has left there; the gradient of each weight is one product
over all nodes. Elementwise ops are in place. The dense weights are one flat tensor, so that fused
Adagrad is one call; of the embedding, only rows that occur are read and written. TreeLSTM only.
"""

from __future__ import annotations

import numpy as np
import torch

from benchmarks.peers import weights as w
from benchmarks.peers.levels import Plan, ResidentTrees
from benchmarks.peers.torch_peer import TorchPeer


class TorchHandBackward(TorchPeer):
  """The TreeLSTM with its backward pass written out."""

  def __init__(self, model: str, weights: dict[str, np.ndarray], packed: dict[str, np.ndarray]):
    if model != "treelstm":
      raise ValueError(f"no backward pass is written out for {model}")
    dense = {name: value for name, value in weights.items() if name != "embedding"}
    super().__init__({"embedding": weights["embedding"]})
    self._trees = ResidentTrees(packed)
    sizes = [value.size for value in dense.values()]
    flat = torch.from_numpy(np.concatenate([value.reshape(-1) for value in dense.values()]))
    flat.grad = torch.zeros_like(flat)
    self._weights = _views(flat, dense, sizes)
    self._gradients = _views(flat.grad, dense, sizes)
    self._embedding = self.weights["embedding"].detach()
    self._embedding_sums = torch.full_like(self._embedding, w.INITIAL_SUM)
    self._optimizer = torch.optim.Adagrad(
      [flat],
      lr=w.LEARNING_RATE,
      fused=True,
      initial_accumulator_value=w.INITIAL_SUM,
      eps=w.EPSILON,
    )
    self._width = weights["output_weights"].shape[0]
    self._buffers: dict[str, torch.Tensor] = {}

  @torch.inference_mode()
  def infer(self, indices):
    plan = self._trees.plan(indices)
    h, _ = self._forward(plan)
    return self._logits(h[: plan.splits[1]]).argmax(1).numpy()

  @torch.no_grad()
  def train(self, indices):
    plan = self._trees.plan(indices)
    _, rows, values = self._backward(plan)
    self._optimizer.step()
    sums = self._embedding_sums[rows].addcmul_(values, values)
    self._embedding_sums[rows] = sums
    step = values.div_(sums.sqrt_().add_(w.EPSILON))
    self._embedding.index_add_(0, rows, step, alpha=-w.EMBEDDING_LEARNING_RATE)

  @torch.no_grad()
  def loss_and_gradients(self, indices):
    loss, rows, values = self._backward(self._trees.plan(indices))
    embedding = np.zeros(self._embedding.shape, np.float32)
    embedding[rows.numpy()] = values.numpy()
    dense = {name: gradient.numpy().copy() for name, gradient in self._gradients.items()}
    return loss.item(), {"embedding": embedding, **dense}

  def _forward(self, plan: Plan) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns h and c of all slots, [N, D] each, and leaves the gates in their buffers."""
    v, width = self._weights, self._width
    h, c = (self._rows(name, plan.num_nodes, width) for name in "hc")
    leaves, inner = torch.from_numpy(plan.leaves), torch.from_numpy(plan.inner)
    words = torch.from_numpy(plan.words)
    x = self._rows("x", len(words), self._embedding.shape[1])
    torch.index_select(self._embedding, 0, words, out=x)
    gates = self._rows("leaf gates", len(words), 3 * width)
    torch.addmm(v["leaf_bias"], x, v["leaf_weights"], out=gates)
    i, o, u = gates.chunk(3, 1)
    gates[:, : 2 * width].sigmoid_()
    leaf_c = torch.mul(i, u.tanh_(), out=self._rows("leaf c", len(words), width))
    tanh_c = torch.tanh(leaf_c, out=self._rows("leaf tanh c", len(words), width))
    c.index_copy_(0, leaves, leaf_c)
    h.index_copy_(0, leaves, torch.mul(o, tanh_c, out=leaf_c))
    all_gates = self._rows("gates", len(inner), 5 * width)
    all_tanh_c = self._rows("tanh c", len(inner), width)
    for level in range(plan.num_levels - 2, -1, -1):
      begin, end = plan.inner_splits[level : level + 2]
      child_h, child_c = self._children(plan, level, h), self._children(plan, level, c)
      gates = torch.addmm(v["inner_bias"], child_h, v["inner_weights"], out=all_gates[begin:end])
      gates[:, : 4 * width].sigmoid_()
      i, o, f_left, f_right, u = gates.chunk(5, 1)
      new_c = torch.mul(i, u.tanh_(), out=self._rows("new c", end - begin, width))
      new_c.addcmul_(f_left, child_c[:, :width]).addcmul_(f_right, child_c[:, width:])
      tanh_c = torch.tanh(new_c, out=all_tanh_c[begin:end])
      c.index_copy_(0, inner[begin:end], new_c)
      h.index_copy_(0, inner[begin:end], torch.mul(o, tanh_c, out=new_c))
    return h, c

  def _backward(self, plan: Plan) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Fills the dense gradients; returns the loss, and the embedding's rows and gradients."""
    h, c = self._forward(plan)
    v, g, width = self._weights, self._gradients, self._width
    num_roots = plan.splits[1]
    dh, loss = self._loss(plan, h)
    dc = self._rows("dc", plan.num_nodes, width)
    dc[:num_roots] = 0
    inner = torch.from_numpy(plan.inner)
    all_gates = self._rows("gates", len(inner), 5 * width)
    all_tanh_c = self._rows("tanh c", len(inner), width)
    all_dgates = self._rows("dgates", len(inner), 5 * width)
    back = v["inner_weights"].t()
    for level in range(plan.num_levels - 1):
      begin, end = plan.inner_splits[level : level + 2]
      gates, dgates = all_gates[begin:end], all_dgates[begin:end]
      i, _, f_left, f_right, u = gates.chunk(5, 1)
      slots = inner[begin:end]
      new_dc = self._state_backward(dh, dc, slots, gates, dgates, all_tanh_c[begin:end])
      child_c, child_dc = self._children(plan, level, c), self._children(plan, level, dc)
      di, _, df_left, df_right, du = dgates.chunk(5, 1)
      torch.mul(new_dc, u, out=di)
      torch.mul(new_dc, child_c[:, :width], out=df_left)
      torch.mul(new_dc, child_c[:, width:], out=df_right)
      torch.mul(new_dc, i, out=du)
      torch.mul(new_dc, f_left, out=child_dc[:, :width])
      torch.mul(new_dc, f_right, out=child_dc[:, width:])
      _gates_backward(gates, dgates, 4 * width)
      self._children(plan, level, dh).addmm_(dgates, back)
    torch.mm(h[num_roots:].view(-1, 2 * width).t(), all_dgates, out=g["inner_weights"])
    torch.sum(all_dgates, 0, out=g["inner_bias"])
    return (loss, *self._leaves_backward(plan, dh, dc))

  def _loss(self, plan: Plan, h: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns the gradient of h and the loss; fills the softmax layer's gradients."""
    v, g = self._weights, self._gradients
    labels = torch.from_numpy(plan.labels).unsqueeze(1)
    logits = torch.log_softmax(self._logits(h), 1)
    num_trees = plan.splits[1]
    loss = logits.gather(1, labels).sum().neg_().div_(num_trees)
    dlogits = logits.exp_().scatter_add_(1, labels, logits.new_full((1, 1), -1.0).expand_as(labels))
    dlogits /= num_trees
    torch.mm(h.t(), dlogits, out=g["output_weights"])
    torch.sum(dlogits, 0, out=g["output_bias"])
    dh = self._rows("dh", plan.num_nodes, self._width)
    return torch.mm(dlogits, v["output_weights"].t(), out=dh), loss

  def _leaves_backward(self, plan: Plan, dh: torch.Tensor, dc: torch.Tensor):
    """Fills the leaf weights' gradients; returns rows of the embedding and their gradients."""
    v, g, width = self._weights, self._gradients, self._width
    leaves = torch.from_numpy(plan.leaves)
    gates = self._rows("leaf gates", len(leaves), 3 * width)
    dgates = self._rows("leaf dgates", len(leaves), 3 * width)
    tanh_c = self._rows("leaf tanh c", len(leaves), width)
    new_dc = self._state_backward(dh, dc, leaves, gates, dgates, tanh_c)
    i, _, u = gates.chunk(3, 1)
    di, _, du = dgates.chunk(3, 1)
    torch.mul(new_dc, u, out=di)
    torch.mul(new_dc, i, out=du)
    _gates_backward(gates, dgates, 2 * width)
    x = self._rows("x", len(leaves), self._embedding.shape[1])
    torch.mm(x.t(), dgates, out=g["leaf_weights"])
    torch.sum(dgates, 0, out=g["leaf_bias"])
    dx = torch.mm(dgates, v["leaf_weights"].t(), out=self._rows("dx", len(leaves), x.shape[1]))
    # Rows that occur twice are added first: Adagrad's square is that of the sum.
    rows, position = np.unique(plan.words, return_inverse=True)
    values = self._rows("embedding", len(rows), x.shape[1]).zero_()
    values.index_add_(0, torch.from_numpy(position), dx)
    return torch.from_numpy(rows), values

  def _state_backward(self, dh, dc, slots, gates, dgates, tanh_c) -> torch.Tensor:
    """Fills the gradient of the output gate o; returns that of c, [n, D]."""
    width = self._width
    o, do = gates[:, width : 2 * width], dgates[:, width : 2 * width]
    n = len(slots)
    own_dh = torch.index_select(dh, 0, slots, out=self._rows("own dh", n, width))
    own_dc = torch.index_select(dc, 0, slots, out=self._rows("own dc", n, width))
    torch.mul(own_dh, tanh_c, out=do)
    own_dh.mul_(o)
    through_tanh = torch.ops.aten.tanh_backward.grad_input(
      own_dh, tanh_c, grad_input=self._rows("through tanh", n, width)
    )
    return own_dc.add_(through_tanh)

  def _children(self, plan: Plan, level: int, states: torch.Tensor) -> torch.Tensor:
    """Returns the rows of `states` of the level below, [n, 2 D]: left and right side by side."""
    begin, end = plan.splits[level + 1 : level + 3]
    return states[begin:end].view(-1, 2 * self._width)

  def _logits(self, h: torch.Tensor) -> torch.Tensor:
    return torch.addmm(self._weights["output_bias"], h, self._weights["output_weights"])

  def _rows(self, name: str, rows: int, columns: int) -> torch.Tensor:
    """Returns the first `rows` of the buffer `name`, which grows where that is not enough."""
    buffer = self._buffers.get(name)
    if buffer is None or len(buffer) < rows:
      # Not an inference tensor, even in inference: training may use it next.
      with torch.inference_mode(False):
        buffer = self._buffers[name] = torch.empty(rows * 5 // 4, columns)
    return buffer[:rows]


def _gates_backward(gates: torch.Tensor, dgates: torch.Tensor, num_sigmoid: int) -> None:
  """Turns gradients of squashed gates into those of the products: sigmoids first, then tanh."""
  ops = torch.ops.aten
  squashed, d_squashed = gates[:, :num_sigmoid], dgates[:, :num_sigmoid]
  ops.sigmoid_backward.grad_input(d_squashed, squashed, grad_input=d_squashed)
  u, du = gates[:, num_sigmoid:], dgates[:, num_sigmoid:]
  ops.tanh_backward.grad_input(du, u, grad_input=du)


def _views(flat: torch.Tensor, like: dict[str, np.ndarray], sizes: list[int]):
  """Returns parts of `flat` by name, in the shapes of `like`."""
  parts = flat.split(sizes)
  return {
    name: part.view(value.shape) for (name, value), part in zip(like.items(), parts, strict=True)
  }
