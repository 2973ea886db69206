// An owned reference to a Python object.
#ifndef RECURSIVE_TF_KERNELS_PYTHON_PY_REF_H_
#define RECURSIVE_TF_KERNELS_PYTHON_PY_REF_H_

// The stable ABI of Python 3.10: one library for it and all later versions.
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030A0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <utility>

namespace recursive_tf {

// Owns one reference, or none. Needs the GIL wherever it gives one up.
class PyRef final {
 public:
  PyRef() = default;
  PyRef(const PyRef&) = delete;
  PyRef& operator=(const PyRef&) = delete;
  PyRef(PyRef&& other) noexcept : object_(other.release()) {}
  PyRef& operator=(PyRef&& other) noexcept {
    // The old object goes last: its finalizer may look at this reference.
    const PyRef old(std::exchange(object_, other.release()));
    return *this;
  }
  ~PyRef() { Py_XDECREF(object_); }

  // Takes over a new reference, as most of Python's functions return; null is
  // none.
  static PyRef Steal(PyObject* object) { return PyRef(object); }
  // Makes a reference of its own; null is none.
  static PyRef Borrow(PyObject* object) {
    Py_XINCREF(object);
    return PyRef(object);
  }

  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  explicit PyRef(PyObject* object) : object_(object) {}

  PyObject* object_ = nullptr;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_PYTHON_PY_REF_H_
