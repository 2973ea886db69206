"""In which precision products are computed."""

from __future__ import annotations

import ctypes

from recursive_tf._errors import ConfigError, ProcessorError
from recursive_tf._ops import KERNELS_PATH

PRECISIONS = ("float32", "bfloat16")


def has_bfloat16_products() -> bool:
  """Tells whether this processor can compute `rtf.nn.matmul(..., precision="bfloat16")`.

  Those with AVX512-BF16 can: AMD's from Zen 4, Intel's Xeons from Cooper Lake and Sapphire Rapids.
  """
  # No op: the first one starts TensorFlow, whose threads can then not be set any more.
  has = ctypes.CDLL(str(KERNELS_PATH)).recursive_tf_has_bfloat16_products
  has.restype = ctypes.c_bool
  return bool(has())


def check_precision(precision: str) -> None:
  """Checks that products can be computed in a precision here.

  Raises:
    ConfigError: If there is no such precision.
    ProcessorError: If this processor cannot.
  """
  if precision not in PRECISIONS:
    raise ConfigError(f"precision {precision!r}: expected one of {', '.join(PRECISIONS)}.")
  if precision == "bfloat16" and not has_bfloat16_products():
    raise ProcessorError(
      "Products in bfloat16 need a processor with AVX512-BF16, which this one is not.\n"
      "Use float32, the default: the weights are the same."
    )
