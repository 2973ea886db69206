#include "kernels/python/tables.h"

#include <cstddef>

namespace recursive_tf {
namespace {

constexpr size_t kMaxIdleElements = size_t{1} << 18;

// Empties `*elements`; the memory stays, unless most of it was not used.
template <typename T>
void Empty(std::vector<T>* elements) {
  if (elements->capacity() > kMaxIdleElements &&
      elements->size() < elements->capacity() / 64) {
    *elements = std::vector<T>();
  }
  elements->clear();
}

void Release(std::vector<PyObject*>* objects) {
  for (PyObject* object : *objects) Py_XDECREF(object);
  Empty(objects);
}

}  // namespace

PyRef DistinctObjects::Take() {
  PyRef list = PyRef::Steal(PyList_New(static_cast<Py_ssize_t>(size())));
  if (!list) return list;
  Py_ssize_t place = 0;
  for (PyObject* object : numbers_.objects()) {
    PyList_SetItem(list.get(), place++, object);
  }
  is_owner_ = false;
  return list;
}

void DistinctObjects::Clear() {
  if (is_owner_) {
    for (PyObject* object : numbers_.objects()) Py_DECREF(object);
  }
  is_owner_ = true;
  numbers_.Clear();
}

void Tables::Clear() {
  if (!registers.empty()) registers[0] = nullptr;
  Release(&registers);
  Release(&strings);
  for (DistinctObjects& column : tensors) column.Clear();
  rows.Clear();
  Empty(&agenda);
  roots.Clear();
  items.Clear();
  ints.Clear();
  floats.Clear();
}

}  // namespace recursive_tf
