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

void Tables::Clear() {
  Release(&registers);
  Release(&strings);
  for (DistinctObjects& column : tensors) {
    Release(&column.objects);
    column.place_of.Clear();
  }
  for (const Row& row : rows) Py_XDECREF(row.object);
  Empty(&rows);
  row_of.Clear();
  Empty(&agenda);
  Empty(&roots);
  Empty(&items);
  Empty(&ints);
  Empty(&floats);
}

}  // namespace recursive_tf
