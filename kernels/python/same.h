// Whether lists, dicts and attributes hold the very objects that they held.
#ifndef RECURSIVE_TF_KERNELS_PYTHON_SAME_H_
#define RECURSIVE_TF_KERNELS_PYTHON_SAME_H_

#include "kernels/python/py_ref.h"

namespace recursive_tf {

// Compares by identity what `entries`, a tuple, describes;
// recursive_tf/_walk.pyi says how. Returns true, or false, or null with a
// Python exception set.
PyObject* HoldTheSame(PyObject* module, PyObject* entries);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_PYTHON_SAME_H_
