#include "kernels/python/same.h"

namespace recursive_tf {
namespace {

enum class Answer { kSame, kOther, kError };

Answer SameElements(PyObject* list, PyObject* values) {
  const Py_ssize_t count = PyTuple_Size(values);
  if (PyList_Size(list) != count) return Answer::kOther;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (PyList_GetItem(list, i) != PyTuple_GetItem(values, i)) {
      return Answer::kOther;
    }
  }
  return Answer::kSame;
}

// `values` are the keys in their order, then what is under them.
Answer SameItems(PyObject* dict, PyObject* values) {
  const Py_ssize_t count = PyDict_Size(dict);
  if (PyTuple_Size(values) != 2 * count) return Answer::kOther;
  Py_ssize_t position = 0;
  PyObject* key;
  PyObject* value;
  for (Py_ssize_t i = 0; PyDict_Next(dict, &position, &key, &value); ++i) {
    if (key != PyTuple_GetItem(values, i) ||
        value != PyTuple_GetItem(values, count + i)) {
      return Answer::kOther;
    }
  }
  return Answer::kSame;
}

Answer SameAttributes(PyObject* owner, PyObject* type, PyObject* size,
                      PyObject* names, PyObject* values) {
  if (reinterpret_cast<PyObject*>(Py_TYPE(owner)) != type) {
    return Answer::kOther;
  }
  const PyRef dict = PyRef::Steal(PyObject_GetAttrString(owner, "__dict__"));
  if (!dict) return Answer::kError;
  const Py_ssize_t count = PyTuple_Size(names);
  if (!PyDict_Check(dict.get()) ||
      PyDict_Size(dict.get()) != PyLong_AsSsize_t(size) ||
      PyTuple_Size(values) != count) {
    return Answer::kOther;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* now =
        PyDict_GetItemWithError(dict.get(), PyTuple_GetItem(names, i));
    if (now == nullptr && PyErr_Occurred() != nullptr) return Answer::kError;
    if (now != PyTuple_GetItem(values, i)) return Answer::kOther;
  }
  return Answer::kSame;
}

Answer IsSame(PyObject* entry) {
  PyObject* owner;
  PyObject* values;
  PyObject* type = nullptr;
  PyObject* size = nullptr;
  PyObject* names = nullptr;
  if (!PyTuple_Check(entry)) {
    PyErr_SetString(PyExc_TypeError, "hold_the_same: an entry is no tuple");
    return Answer::kError;
  }
  if (!PyArg_ParseTuple(entry, "OO!|OO!O!:hold_the_same", &owner, &PyTuple_Type,
                        &values, &type, &PyLong_Type, &size, &PyTuple_Type,
                        &names)) {
    return Answer::kError;
  }
  if (names != nullptr) {
    return SameAttributes(owner, type, size, names, values);
  }
  if (PyList_Check(owner)) return SameElements(owner, values);
  if (PyDict_Check(owner)) return SameItems(owner, values);
  PyErr_SetString(PyExc_TypeError,
                  "hold_the_same: an entry is of no list and no dict");
  return Answer::kError;
}

}  // namespace

PyObject* HoldTheSame(PyObject* /*module*/, PyObject* entries) {
  if (!PyTuple_Check(entries)) {
    PyErr_SetString(PyExc_TypeError, "hold_the_same: a tuple is needed");
    return nullptr;
  }
  const Py_ssize_t count = PyTuple_Size(entries);
  for (Py_ssize_t i = 0; i < count; ++i) {
    const Answer answer = IsSame(PyTuple_GetItem(entries, i));
    if (answer == Answer::kError) return nullptr;
    if (answer == Answer::kOther) Py_RETURN_FALSE;
  }
  Py_RETURN_TRUE;
}

}  // namespace recursive_tf
