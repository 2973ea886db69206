#include "kernels/python/attribute_reader.h"

namespace recursive_tf {

bool AttributeReader::ReadAgain(uint8_t* score, getattrofunc read,
                                PyObject* value, PyObject* name,
                                PyObject** result) {
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return false;
  PyErr_Clear();
  if (read == PyObject_GenericGetAttr && !IsGeneric(Py_TYPE(value))) {
    *result = PyObject_GetAttr(value, name);
    if (*result != nullptr) return true;
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return false;
    PyErr_Clear();
  }
  CountMiss(score);
  return true;
}

bool AttributeReader::ReadOften(uint8_t* score, PyObject* value, PyObject* name,
                                PyObject** result) {
  *result = nullptr;
  if (!default_ && !MakeDefault()) return false;
  const PyRef arguments =
      PyRef::Steal(PyTuple_Pack(3, value, name, default_.get()));
  if (!arguments) return false;
  PyRef found =
      PyRef::Steal(PyObject_Call(getattr_.get(), arguments.get(), nullptr));
  if (!found) return false;
  if (found.get() == default_.get()) {
    CountMiss(score);
  } else {
    CountHit(score);
    *result = found.release();
  }
  return true;
}

bool AttributeReader::MakeDefault() {
  const PyRef builtins = PyRef::Steal(PyImport_ImportModule("builtins"));
  if (!builtins) return false;
  getattr_ = PyRef::Steal(PyObject_GetAttrString(builtins.get(), "getattr"));
  if (!getattr_) return false;
  default_ = PyRef::Steal(PyList_New(0));
  return static_cast<bool>(default_);
}

}  // namespace recursive_tf
