#include <algorithm>
#include <iterator>
#include <string_view>

#include "kernels/python/step.h"

namespace recursive_tf {
namespace {

struct KindName {
  std::string_view name;
  Step::Kind kind;
  Py_ssize_t min_size;  // Of the tuple, the name included.
  Py_ssize_t max_size;
};

constexpr KindName kKindNames[] = {
    {"attr", Step::Kind::kAttr, 2, 2},
    {"item", Step::Kind::kItem, 2, 2},
    {"len", Step::Kind::kLen, 1, 1},
    {"isinstance", Step::Kind::kIsInstance, 2, 2},
    {"truth", Step::Kind::kTruth, 1, 1},
    {"eq", Step::Kind::kEq, 2, 2},
    {"lookup", Step::Kind::kLookup, 2, 3},
    {"in", Step::Kind::kIn, 2, 2},
    {"call", Step::Kind::kCall, 2, 5},
    {"int", Step::Kind::kInt, 1, 1},
    {"float", Step::Kind::kFloat, 1, 1},
    {"keys", Step::Kind::kKeys, 1, 1},
    {"values", Step::Kind::kValues, 1, 1},
    {"method", Step::Kind::kMethod, 3, 3},
    {"id", Step::Kind::kId, 1, 1},
    {"children", Step::Kind::kChildren, 2, 2},
};

bool Refuse(PyObject* spec, const char* why) {
  PyErr_Format(PyExc_ValueError, "Walker: step %R: %s", spec, why);
  return false;
}

bool HasMissingMethod(PyObject* dict) {
  return !PyDict_CheckExact(dict) &&
         PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(dict)),
                                "__missing__");
}

bool IsComparable(PyObject* constant) {
  return constant == Py_None || PyUnicode_CheckExact(constant) ||
         PyLong_CheckExact(constant) || PyBool_Check(constant) ||
         PyFloat_CheckExact(constant);
}

bool ParseName(PyObject* spec, Step* step) {
  if (!PyUnicode_CheckExact(step->constant.get())) {
    return Refuse(spec, "the name must be a str");
  }
  PyObject* name = step->constant.release();
  PyUnicode_InternInPlace(&name);
  step->constant = PyRef::Steal(name);
  return true;
}

bool ParseKey(Step* step) {
  if (!PyLong_Check(step->constant.get())) return true;
  step->is_index = true;
  step->index = PyLong_AsSsize_t(step->constant.get());
  if (step->index != -1 || !PyErr_Occurred()) return true;
  if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return false;
  PyErr_Clear();  // No list or tuple is so long.
  step->index = PY_SSIZE_T_MAX;
  return true;
}

bool ParseClasses(PyObject* spec, Step* step) {
  PyObject* classes = step->constant.get();
  if (!PyTuple_CheckExact(classes)) {
    return Refuse(spec, "the classes must be a tuple");
  }
  for (Py_ssize_t i = 0; i < PyTuple_Size(classes); ++i) {
    PyObject* cls = PyTuple_GetItem(classes, i);
    if (!PyType_Check(cls)) return Refuse(spec, "not a class");
    step->classes.push_back(reinterpret_cast<PyTypeObject*>(cls));
  }
  return true;
}

bool ParseContainer(PyObject* spec, Step* step) {
  PyObject* container = step->constant.get();
  const bool is_known =
      PyDict_CheckExact(container) || PyTuple_CheckExact(container) ||
      Py_IS_TYPE(container, &PySet_Type) ||
      Py_IS_TYPE(container, &PyFrozenSet_Type) || PyList_CheckExact(container);
  return is_known || Refuse(spec, "the container must be a builtin one");
}

bool ParseMethod(PyObject* spec, Step* step) {
  if (!ParseName(spec, step)) return false;
  step->arguments = PyRef::Steal(PyTuple_GetSlice(spec, 2, PyTuple_Size(spec)));
  if (!step->arguments) return false;
  for (Py_ssize_t i = 2; i < PyTuple_Size(spec); ++i) {
    if (!IsComparable(PyTuple_GetItem(spec, i))) {
      return Refuse(spec, "call with str, int, bool, float or None");
    }
  }
  return PyObject_HasAttr(reinterpret_cast<PyObject*>(&PyUnicode_Type),
                          step->constant.get()) ||
         Refuse(spec, "str has no such method");
}

bool ParseConstant(PyObject* spec, Step* step) {
  switch (step->kind) {
    case Step::Kind::kAttr:
    case Step::Kind::kMethod:
      return ParseName(spec, step);
    case Step::Kind::kItem:
      return ParseKey(step);
    case Step::Kind::kIsInstance:
      return ParseClasses(spec, step);
    case Step::Kind::kEq:
      return IsComparable(step->constant.get()) ||
             Refuse(spec, "compare with a str, int, bool, float or None");
    case Step::Kind::kLookup:
      if (!PyDict_Check(step->constant.get()) ||
          HasMissingMethod(step->constant.get())) {
        return Refuse(spec, "look up in a dict that has no __missing__");
      }
      return true;
    case Step::Kind::kIn:
      return ParseContainer(spec, step);
    case Step::Kind::kCall:
      return ParseMethod(spec, step);
    case Step::Kind::kChildren:
      return PyType_Check(step->constant.get()) || Refuse(spec, "name a class");
    case Step::Kind::kLen:
    case Step::Kind::kTruth:
    case Step::Kind::kInt:
    case Step::Kind::kFloat:
    case Step::Kind::kKeys:
    case Step::Kind::kValues:
    case Step::Kind::kId:
      return true;
  }
  return true;
}

// Tells whether two constants are interchangeable: 1, True and 1.0 are not.
bool IsSameConstant(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr) return false;
  if (PyUnicode_CheckExact(a) && PyUnicode_CheckExact(b)) {
    return PyUnicode_Compare(a, b) == 0;
  }
  if (PyLong_CheckExact(a) && PyLong_CheckExact(b)) {
    return PyObject_RichCompareBool(a, b, Py_EQ) == 1;
  }
  return false;
}

// Tells the same of two tuples, or of two nulls.
bool AreSameArguments(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr) return false;
  if (PyTuple_Size(a) != PyTuple_Size(b)) return false;
  for (Py_ssize_t i = 0; i < PyTuple_Size(a); ++i) {
    if (!IsSameConstant(PyTuple_GetItem(a, i), PyTuple_GetItem(b, i))) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool ParseStep(PyObject* spec, Step* step) {
  if (!PyTuple_Check(spec) || PyTuple_Size(spec) < 1 ||
      !PyUnicode_Check(PyTuple_GetItem(spec, 0))) {
    return Refuse(spec, "expected a tuple such as ('attr', 'left')");
  }
  Py_ssize_t length = 0;
  const char* text = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(spec, 0), &length);
  if (text == nullptr) return false;
  const std::string_view name(text, length);
  const KindName* found =
      std::find_if(std::begin(kKindNames), std::end(kKindNames),
                   [name](const KindName& k) { return k.name == name; });
  if (found == std::end(kKindNames))
    return Refuse(spec, "no such kind of step");
  const Py_ssize_t size = PyTuple_Size(spec);
  if (size < found->min_size || size > found->max_size) {
    return Refuse(spec, "wrong number of constants");
  }
  step->kind = found->kind;
  if (size > 1) step->constant = PyRef::Borrow(PyTuple_GetItem(spec, 1));
  if (size > 2 && step->kind != Step::Kind::kCall) {
    step->fallback = PyRef::Borrow(PyTuple_GetItem(spec, 2));
  }
  return ParseConstant(spec, step);
}

bool IsSameStep(const Step& a, const Step& b) {
  if (a.kind != b.kind || a.source != b.source) return false;
  if (a.kind == Step::Kind::kIsInstance) return a.classes == b.classes;
  return IsSameConstant(a.constant.get(), b.constant.get()) &&
         IsSameConstant(a.fallback.get(), b.fallback.get()) &&
         AreSameArguments(a.arguments.get(), b.arguments.get());
}

}  // namespace recursive_tf
