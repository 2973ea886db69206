"""The C library's heap, exact to the byte, as the memory of a process is not. For glibc."""

import ctypes
import gc

_NAMES = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()


class _Heap(ctypes.Structure):
  _fields_ = [(name, ctypes.c_size_t) for name in _NAMES]


def heap():
  """Returns what `mallinfo2` says, when Python has let go of what is gone."""
  libc = ctypes.CDLL(None)
  libc.mallinfo2.restype = _Heap
  gc.collect()
  return libc.mallinfo2()
