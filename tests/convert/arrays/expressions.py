"""What programs compute with arrays of NumPy: expressions of `x`, `y` and a node `n`, in groups."""

OPERATORS = "+ - * / // % ** == != < <= > >= & | ^ @".split()
NUMBERS = ["2", "-1", "0.5", "True", "n.k", "n.f", "n.flag"]
REDUCTIONS = "sum prod mean min max argmin argmax any all std var cumsum".split()
OF_ONE = """sqrt exp log log2 log1p sin arctan tanh floor ceil trunc rint sign square abs isnan
isfinite logical_not negative""".split()
OF_TWO = "maximum minimum add true_divide remainder power arctan2 logical_and equal less".split()

_GROUPS = {
  "operators": [
    *(f"x {op} y" for op in OPERATORS),
    *(f"x {op} {number}" for op in OPERATORS for number in NUMBERS),
    *(f"{number} {op} x" for op in OPERATORS for number in NUMBERS),
    *("-x", "+x", "~x", "abs(x)", "x ** 2", "x[0] ** 2", "x[0] / x[1]", "x[0] // n.k", "-x[0]"),
  ],
  "reductions": [
    *(f"x.{name}({axis})" for name in REDUCTIONS for axis in ("", "axis=0", "-1")),
    *(f"np.{name}(x, axis=0)" for name in REDUCTIONS),
    *(f"np.{name}([n.k, n.f])" for name in ("sum", "max", "mean")),
    *("x.sum(axis=0, keepdims=True)", "np.ptp(x)", "np.count_nonzero(x)", "x.var(ddof=1)"),
    *("np.array_equal(x, y)", "np.allclose(x, y)", "np.linalg.norm(x)", "np.median(x)"),
  ],
  "elements": [
    *(f"np.{name}({value})" for name in OF_ONE for value in ("x", "n.f", "n.k")),
    *(f"np.{name}(x, {value})" for name in OF_TWO for value in ("y", "n.k", "0.5")),
    *("np.where(x > 0, x, y)", "np.where(x > 0, n.f, 0)", "np.clip(x, 0, n.k)", "np.round(x, 1)"),
    *("round(x[0])", "round(x[0], 1)", "x.astype(int)", "x.astype(np.float32)", "x.astype(bool)"),
  ],
  "items": """x[0]|x[-1]|x[n.k]|x[1:]|x[::-1]|x[x > 0]|x[y > 0]|x[[0, n.k]]|x[:, 0]|x[0, 1]
x[..., 0]
x[:, None]|x[x.argsort()]|x[np.argsort(x, kind="stable")]|x[:, [0, 1]]|x[[0, 1], [1, 0]]
x[1:, [0, n.k]]|np.take(x, n.k)|np.argwhere(x > 0)|np.flatnonzero(x)|np.nonzero(x)[0]
[v for v in x]|[float(v) for v in x]|x.tolist()|x.item()|sum(x)|max(x)|n.k in x|len(x)|list(x)
x[x > 0].tolist()|[float(v) for v in x[x > 0]]|[v for v in np.unique(x)]|x[0] or 5""",
  "shapes": """x.shape|x.size|x.ndim|x.dtype|x.T|x.reshape(-1)|x.reshape(n.k, -1)|x.ravel() + 1
x.flatten()
x.copy()|np.transpose(x) * 2|np.expand_dims(x, 0) + 1|x.squeeze() * 1|np.concatenate([x, y])
np.stack([x, y], axis=-1)|np.vstack([x, y])|np.hstack([x, y])|np.column_stack([x, y])
np.block([[x, x], [x, x]])|np.flip(x) + 0|np.rot90(x) + 0|np.rot90(x, -1) + 0|np.roll(x, n.k)
np.repeat(x, n.k)|np.tile(x, 2)|np.diff(x)|np.trace(x)|np.tril(x)|x @ y|np.dot(x, y)
np.outer(x, y)|np.kron(x, y)|np.sort(x)|np.argsort(x)|np.unique(x)|np.swapaxes(x, 0, 1) + 1""",
  "made": """np.array(x)|np.array([x, y])|np.array([n.k, n.f])|np.array([n.flag, n.k])
np.array([x[0], 1.0])
np.array([[n.k], [2]])|np.array(n.k)|np.array([1, n.k], np.float32)|np.array([n.f], int)
np.asarray(x) + 1|np.array([c.k for c in n.kids])|np.array([c.a for c in n.kids])
np.stack([c.a for c in n.kids])|np.concatenate([c.a for c in n.kids])|np.zeros(n.k)
np.zeros((n.k, 2))|np.ones((2, n.k), int)|np.full(3, n.f)|np.full((2, n.k), n.k)
np.zeros_like(x)|np.full_like(x, n.k)|np.arange(n.k)|np.arange(n.k, 0, -1)|np.eye(n.k)
np.float32(n.f)|np.int64(n.f)|np.float64(x[0])|n.x.numpy()|n.x.numpy().sum() * n.k
[float(v) for v in n.x.numpy()]|(n.x + n.x).numpy()[0]""",
  "beside": """x.sum() + n.k|x.sum() * n.f|x[0] < n.k|x.mean() > n.f|not x[0]
x.sum() if x.any() else -x.sum()|(x == y).all()|(x != 0).sum()|x / x.sum()|x - x.mean(axis=0)
np.exp(x - x.max())|type(x.sum())|f"{x.sum()}{x[0]:g}"|isinstance(x.sum(), float)
isinstance(x, np.ndarray)|str(x.sum())|f"{x.sum():.2f}"
int(x.sum())|float(x[0])|[x[0], 1]|(x[0], n.k)|tf.constant(x) + 1|tf.reduce_sum(x)|G + x|x @ G
G[x > 0]|x[G > 0]|G.sum() + x|G[n.k - 1] * x|x > np.float32(0.5)
x + np.float64(1)|x * np.int32(3)""",
}
GROUPS = {
  group: texts if isinstance(texts, list) else texts.replace("\n", "|").split("|")
  for group, texts in _GROUPS.items()
}
