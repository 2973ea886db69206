#include "kernels/python/results.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace recursive_tf {
namespace {

// Null-terminated, as Python wants them. Not const, for Python's sake.
PyStructSequence_Field rows_fields[] = {
    {"ints", "bytearray of int32 [N, K], row by row."},
    {"floats", "bytearray of float64 [N, F], row by row."},
    {"strings", "Per string column a list of N str."},
    {"tensors", "Per tensor column the list of its different objects."},
    {"items", "bytearray of int32 [M]: handles."},
    {"objects", "The N objects."},
    {"roots", "bytearray of int32 [R]: handles."},
    {nullptr, nullptr},
};
PyStructSequence_Desc rows_desc = {"recursive_tf._walk.Rows",
                                   "What a walk found.", rows_fields, 7};

PyStructSequence_Field surprise_fields[] = {
    {"reason", "Why: type, missing, none, kind, range, unsupported or fresh."},
    {"object", "The object that was read; None if a root is the surprise."},
    {"path", "What was read of it."},
    {"column", "Which of its type's columns; -1 if a root is the surprise."},
    {"value", "What was found; None if it is missing."},
    {nullptr, nullptr},
};
PyStructSequence_Desc surprise_desc = {
    "recursive_tf._walk.Surprise",
    "Where objects differ from what was assumed.", surprise_fields, 5};

// Makes a list of `size` lists; `make` makes each.
template <typename Make>
PyRef NewLists(size_t size, const Make& make) {
  PyRef lists = PyRef::Steal(PyList_New(static_cast<Py_ssize_t>(size)));
  for (size_t i = 0; lists && i < size; ++i) {
    PyRef list = make(i);
    if (!list) return PyRef();
    PyList_SetItem(lists.get(), static_cast<Py_ssize_t>(i), list.release());
  }
  return lists;
}

// Takes every `stride`th string from `start` on; `empty` stands for none.
PyRef TakeColumn(std::vector<PyObject*>* objects, size_t start, size_t stride,
                 PyObject* empty) {
  const size_t size = objects->size() / stride;
  PyRef list = PyRef::Steal(PyList_New(static_cast<Py_ssize_t>(size)));
  for (size_t i = 0; list && i < size; ++i) {
    PyObject* object = std::exchange((*objects)[start + i * stride], nullptr);
    PyRef element =
        object != nullptr ? PyRef::Steal(object) : PyRef::Borrow(empty);
    PyList_SetItem(list.get(), static_cast<Py_ssize_t>(i), element.release());
  }
  return list;
}

// Makes an object of `fields`, unless one of them is null.
template <size_t kSize>
PyRef NewStruct(PyObject* type, PyRef (&&fields)[kSize]) {
  for (const PyRef& field : fields) {
    if (!field) return PyRef();
  }
  PyRef result =
      PyRef::Steal(PyStructSequence_New(reinterpret_cast<PyTypeObject*>(type)));
  for (size_t i = 0; result && i < kSize; ++i) {
    PyStructSequence_SetItem(result.get(), static_cast<Py_ssize_t>(i),
                             fields[i].release());
  }
  return result;
}

PyRef OrNone(const PyRef& object) {
  return PyRef::Borrow(object ? object.get() : Py_None);
}

}  // namespace

PyRef NewRowsType() {
  return PyRef::Steal(
      reinterpret_cast<PyObject*>(PyStructSequence_NewType(&rows_desc)));
}

PyRef NewSurpriseType() {
  return PyRef::Steal(
      reinterpret_cast<PyObject*>(PyStructSequence_NewType(&surprise_desc)));
}

PyRef NewRows(PyObject* rows_type, const Layout& layout, Tables* tables) {
  const PyRef empty = PyRef::Steal(PyUnicode_FromString(""));
  if (!empty) return PyRef();
  return NewStruct(
      rows_type,
      {tables->ints.Take(), tables->floats.Take(),
       NewLists(layout.num_strings,
                [&](size_t i) {
                  return TakeColumn(&tables->strings, i, layout.num_strings,
                                    empty.get());
                }),
       NewLists(layout.num_tensors,
                [&](size_t i) { return tables->tensors[i].Take(); }),
       tables->items.Take(), tables->rows.Take(), tables->roots.Take()});
}

PyRef NewSurprise(PyObject* surprise_type, const Surprise& surprise) {
  PyRef path = surprise.path ? PyRef::Borrow(surprise.path.get())
                             : PyRef::Steal(PyTuple_New(0));
  return NewStruct(
      surprise_type,
      {PyRef::Steal(PyUnicode_FromString(surprise.reason)),
       OrNone(surprise.object), std::move(path),
       PyRef::Steal(PyLong_FromLong(surprise.column)), OrNone(surprise.value)});
}

}  // namespace recursive_tf
