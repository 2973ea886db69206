// What Walker.walk returns to Python.
#ifndef RECURSIVE_TF_KERNELS_PYTHON_RESULTS_H_
#define RECURSIVE_TF_KERNELS_PYTHON_RESULTS_H_

#include "kernels/python/program.h"
#include "kernels/python/py_ref.h"
#include "kernels/python/tables.h"
#include "kernels/python/walk.h"

namespace recursive_tf {

// Make the types `recursive_tf._walk.Rows` and `Surprise`. They return null
// with a Python exception set if they fail, as all functions here.
PyRef NewRowsType();
PyRef NewSurpriseType();

// Makes an object of the type `rows_type` of what a walk collected. Takes the
// references to objects, strings and tensors out of `tables`.
PyRef NewRows(PyObject* rows_type, const Layout& layout, Tables* tables);

// Makes an object of the type `surprise_type`.
PyRef NewSurprise(PyObject* surprise_type, const Surprise& surprise);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_PYTHON_RESULTS_H_
