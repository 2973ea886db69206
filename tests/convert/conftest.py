"""What all tests of the front end share: no reason that a user is told shows our own objects."""

import re

import pytest

from recursive_tf.convert._refusal import ConversionRefused

# Values of the interpreter, syntax trees, and tensors of a graph.
_INTERNALS = re.compile(
  r"\b(Ref|Base|Rows|Maybe|Weak|Array|Closure|Number|StaticForm|NestForm|TensorForm)\(|"
  r"\b(LocalList|LocalDict|LocalObject|BoundMethod|SymbolicTensor|Spread|_rtf_\w+)\b|"
  r"<ast\.|<tf\.Tensor|<recursive_tf|object at 0x"
)


@pytest.fixture(autouse=True)
def _reasons_are_for_users(monkeypatch):
  found = []  # Texts: a refusal would keep alive what it was raised in.
  make = ConversionRefused.of.__func__

  def of(cls, *args, **kwargs):
    refusal = make(cls, *args, **kwargs)
    if _INTERNALS.search(refusal.explanation):
      found.append(str(refusal))
    return refusal

  monkeypatch.setattr(ConversionRefused, "of", classmethod(of))
  yield
  assert not found, f"a reason shows internals: {found[:3]}"
