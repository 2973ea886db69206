#include <algorithm>
#include <string_view>

#include "kernels/python/step.h"

namespace recursive_tf {
namespace {

// The exceptions that make a read missing, as far as the walk expects them.
StepOutcome MissingIf(PyObject* exception) {
  if (!PyErr_ExceptionMatches(exception)) return StepOutcome::kError;
  PyErr_Clear();
  return StepOutcome::kOk;
}

PyObject* NewBool(bool value) {
  PyObject* const result = value ? Py_True : Py_False;
  Py_INCREF(result);
  return result;
}

bool HasSlot(PyObject* value, int slot) {
  return PyType_GetSlot(Py_TYPE(value), slot) != nullptr;
}

// Returns the length of a container by its builtin base, or -1 if it has none.
Py_ssize_t BuiltinSize(PyObject* value) {
  if (PyList_Check(value)) return PyList_Size(value);
  if (PyTuple_Check(value)) return PyTuple_Size(value);
  if (PyDict_Check(value)) return PyDict_Size(value);
  if (PyUnicode_Check(value)) return PyUnicode_GetLength(value);
  if (PyBytes_Check(value)) return PyBytes_Size(value);
  if (PyAnySet_Check(value)) return PySet_Size(value);
  return -1;
}

StepOutcome GetSequenceItem(const Step& step, PyObject* value, bool is_list,
                            PyObject** result) {
  if (!step.is_index) {
    PyObject* key = step.constant.get();
    const bool is_subscript = PyIndex_Check(key) || PySlice_Check(key);
    return is_subscript ? StepOutcome::kUnsupported : StepOutcome::kOk;
  }
  const Py_ssize_t size = Py_SIZE(value);  // Of both, without a call.
  const Py_ssize_t index = step.index < 0 ? step.index + size : step.index;
  if (index < 0 || index >= size) return StepOutcome::kOk;
  *result =
      is_list ? PyList_GetItem(value, index) : PyTuple_GetItem(value, index);
  Py_INCREF(*result);
  return StepOutcome::kOk;
}

StepOutcome GetDictItem(const Step& step, PyObject* value, PyObject** result) {
  *result = PyDict_GetItemWithError(value, step.constant.get());
  Py_XINCREF(*result);
  if (*result != nullptr) return StepOutcome::kOk;
  if (PyErr_Occurred()) return MissingIf(PyExc_TypeError);
  if (PyDict_CheckExact(value)) return StepOutcome::kOk;
  const bool has_default = PyObject_HasAttrString(
      reinterpret_cast<PyObject*>(Py_TYPE(value)), "__missing__");
  return has_default ? StepOutcome::kUnsupported : StepOutcome::kOk;
}

StepOutcome GetCharacter(const Step& step, PyObject* value, PyObject** result) {
  if (!step.is_index) {
    PyObject* key = step.constant.get();
    const bool is_subscript = PyIndex_Check(key) || PySlice_Check(key);
    return is_subscript ? StepOutcome::kUnsupported : StepOutcome::kOk;
  }
  *result = PySequence_GetItem(value, step.index);
  return *result == nullptr ? MissingIf(PyExc_IndexError) : StepOutcome::kOk;
}

// Returns the keys or values of a dict, or the members of a set, as a list.
StepOutcome GetContents(const Step& step, PyObject* value, PyObject** result) {
  if (step.kind == Step::Kind::kKeys && PyAnySet_CheckExact(value)) {
    *result = PySequence_List(value);
    return *result == nullptr ? StepOutcome::kError : StepOutcome::kOk;
  }
  if (!PyDict_Check(value)) {
    const char* name = step.kind == Step::Kind::kKeys ? "keys" : "values";
    return PyObject_HasAttrString(value, name) ? StepOutcome::kUnsupported
                                               : StepOutcome::kOk;
  }
  *result = step.kind == Step::Kind::kKeys ? PyDict_Keys(value)
                                           : PyDict_Values(value);
  return *result == nullptr ? StepOutcome::kError : StepOutcome::kOk;
}

// Returns the nodes among a node's fields, and in its lists of nodes, as a
// list: what `ast.iter_child_nodes` gives of one.
StepOutcome GetChildren(const Step& step, PyObject* value, PyObject** result) {
  PyObject* node_class = step.constant.get();
  const auto is_node = [node_class](PyObject* object) {
    return PyObject_TypeCheck(object,
                              reinterpret_cast<PyTypeObject*>(node_class));
  };
  if (!is_node(value)) return StepOutcome::kUnsupported;
  const PyRef names = PyRef::Steal(PyObject_GetAttrString(value, "_fields"));
  if (!names) return StepOutcome::kError;
  if (!PyTuple_CheckExact(names.get())) return StepOutcome::kUnsupported;
  PyRef children = PyRef::Steal(PyList_New(0));
  if (!children) return StepOutcome::kError;
  const auto add = [&](PyObject* object) {
    return !is_node(object) || PyList_Append(children.get(), object) == 0;
  };
  for (Py_ssize_t i = 0; i < PyTuple_Size(names.get()); ++i) {
    const PyRef field =
        PyRef::Steal(PyObject_GetAttr(value, PyTuple_GetItem(names.get(), i)));
    if (!field) {
      if (!PyErr_ExceptionMatches(PyExc_AttributeError)) {
        return StepOutcome::kError;
      }
      PyErr_Clear();
    } else if (is_node(field.get()) || !PyList_Check(field.get())) {
      if (!add(field.get())) return StepOutcome::kError;
    } else if (!PyList_CheckExact(field.get())) {
      return StepOutcome::kUnsupported;
    } else {
      for (Py_ssize_t k = 0; k < PyList_Size(field.get()); ++k) {
        if (!add(PyList_GetItem(field.get(), k))) return StepOutcome::kError;
      }
    }
  }
  *result = children.release();
  return StepOutcome::kOk;
}

// Bound methods, by their type and where they hold what they are made of: to
// read that as attributes takes longer than to make a method.
class BoundMethods final {
 public:
  BoundMethods() {
    const PyRef types = PyRef::Steal(PyImport_ImportModule("types"));
    type_ = types ? PyObject_GetAttrString(types.get(), "MethodType") : nullptr;
    if (type_ == nullptr) {
      PyErr_Clear();
      return;
    }
    const auto* member = static_cast<PyMemberDef*>(
        PyType_GetSlot(reinterpret_cast<PyTypeObject*>(type_), Py_tp_members));
    for (; member != nullptr && member->name != nullptr; ++member) {
      const std::string_view name = member->name;
      if (name == "__func__") function_ = member->offset;
      if (name == "__self__") self_ = member->offset;
    }
  }

  // Tells whether an object is one, and this can look into it.
  bool AreKnown(PyObject* object) const {
    return reinterpret_cast<PyObject*>(Py_TYPE(object)) == type_ &&
           function_ > 0 && self_ > 0;
  }

  // What a bound method that is known is made of, borrowed.
  PyObject* Function(PyObject* method) const { return Part(method, function_); }
  PyObject* Self(PyObject* method) const { return Part(method, self_); }

 private:
  static PyObject* Part(PyObject* method, Py_ssize_t offset) {
    return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(method) +
                                         offset);
  }

  PyObject* type_ = nullptr;  // Owned by the process.
  Py_ssize_t function_ = 0;   // Where it is in a method; 0 if that is unknown.
  Py_ssize_t self_ = 0;
};

// Returns what a class has for an attribute, bound to an object of it.
PyRef Bind(PyObject* attribute, PyObject* object) {
  auto* const bind = reinterpret_cast<descrgetfunc>(
      PyType_GetSlot(Py_TYPE(attribute), Py_tp_descr_get));
  if (bind == nullptr) return PyRef::Borrow(attribute);
  return PyRef::Steal(
      bind(attribute, object, reinterpret_cast<PyObject*>(Py_TYPE(object))));
}

// Tells whether both have an attribute, which is the same object.
bool HaveSame(const char* name, PyObject* a, PyObject* b) {
  const PyRef first = PyRef::Steal(PyObject_GetAttrString(a, name));
  const PyRef second =
      PyRef::Steal(first ? PyObject_GetAttrString(b, name) : nullptr);
  if (!second) PyErr_Clear();
  return second && first.get() == second.get();
}

// Tells whether a call of one does what a call of the other one does.
bool IsSameMethod(const BoundMethods& methods, PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b)) return false;
  if (methods.AreKnown(a)) {
    return methods.Function(a) == methods.Function(b) &&
           methods.Self(a) == methods.Self(b);
  }
  if ((PyType_GetFlags(Py_TYPE(a)) & Py_TPFLAGS_HEAPTYPE) == 0) {
    return PyObject_RichCompareBool(a, b, Py_EQ) == 1;  // Runs no Python code.
  }
  return HaveSame("__func__", a, b) && HaveSame("__self__", a, b);
}

// Tells by True or missing whether an attribute is the method that the class
// has: the object has none of its own that hides it.
StepOutcome CheckMethod(const Step& step, PyObject* value, PyObject** result) {
  static const BoundMethods methods;
  const PyRef found =
      PyRef::Steal(PyObject_GetAttr(value, step.constant.get()));
  if (!found) return MissingIf(PyExc_AttributeError);
  PyObject* const attribute = step.fallback.get();
  const bool is_bound = methods.AreKnown(found.get()) &&  // Nearly all are.
                        methods.Function(found.get()) == attribute &&
                        methods.Self(found.get()) == value;
  if (!is_bound) {
    const PyRef expected = Bind(attribute, value);
    if (!expected) return MissingIf(PyExc_TypeError);  // Of another class.
    if (!IsSameMethod(methods, found.get(), expected.get())) {
      return StepOutcome::kOk;
    }
  }
  *result = NewBool(true);
  return StepOutcome::kOk;
}

StepOutcome GetItem(const Step& step, PyObject* value, PyObject** result) {
  if (PyUnicode_CheckExact(value)) return GetCharacter(step, value, result);
  const bool is_list = PyList_Check(value);
  if (is_list || PyTuple_Check(value)) {
    return GetSequenceItem(step, value, is_list, result);
  }
  if (PyDict_Check(value)) return GetDictItem(step, value, result);
  const bool has_items = PyType_Check(value) ||
                         HasSlot(value, Py_mp_subscript) ||
                         HasSlot(value, Py_sq_item);
  return has_items ? StepOutcome::kUnsupported : StepOutcome::kOk;
}

StepOutcome GetLength(PyObject* value, PyObject** result) {
  const Py_ssize_t size = BuiltinSize(value);
  if (size >= 0) {
    *result = PyLong_FromSsize_t(size);
    return *result == nullptr ? StepOutcome::kError : StepOutcome::kOk;
  }
  const bool has_length =
      HasSlot(value, Py_mp_length) || HasSlot(value, Py_sq_length);
  return has_length ? StepOutcome::kUnsupported : StepOutcome::kOk;
}

StepOutcome GetTruth(PyObject* value, PyObject** result) {
  if (value == Py_None || PyBool_Check(value) || PyLong_CheckExact(value) ||
      PyFloat_CheckExact(value)) {
    *result = NewBool(PyObject_IsTrue(value) == 1);
    return StepOutcome::kOk;
  }
  if (HasSlot(value, Py_nb_bool)) return StepOutcome::kUnsupported;
  const Py_ssize_t size = BuiltinSize(value);
  if (size < 0 &&
      (HasSlot(value, Py_mp_length) || HasSlot(value, Py_sq_length))) {
    return StepOutcome::kUnsupported;
  }
  *result = NewBool(size != 0);
  return StepOutcome::kOk;
}

bool IsScalar(PyObject* value) {
  return PyUnicode_CheckExact(value) || PyLong_CheckExact(value) ||
         PyBool_Check(value) || PyFloat_CheckExact(value);
}

bool IsPlainContainer(PyObject* value) {
  return PyTuple_CheckExact(value) || PyList_CheckExact(value) ||
         PyDict_CheckExact(value);
}

// Tells whether an object equals nothing but itself: its class says no more.
bool IsEqualToItselfOnly(PyObject* value) {
  return PyType_GetSlot(Py_TYPE(value), Py_tp_richcompare) ==
         PyType_GetSlot(&PyBaseObject_Type, Py_tp_richcompare);
}

StepOutcome IsEqual(const Step& step, PyObject* value, PyObject** result) {
  PyObject* constant = step.constant.get();
  if (IsPlainContainer(value) && IsScalar(constant)) {
    *result = NewBool(false);
    return StepOutcome::kOk;
  }
  if (PyUnicode_CheckExact(value)) {
    if (value == constant) {
      *result = NewBool(true);
      return StepOutcome::kOk;
    }
  } else if (value != Py_None && !IsScalar(value)) {
    if (!IsEqualToItselfOnly(value)) return StepOutcome::kUnsupported;
    *result = NewBool(false);
    return StepOutcome::kOk;
  }
  *result = PyObject_RichCompare(value, constant, Py_EQ);
  return *result == nullptr ? StepOutcome::kError : StepOutcome::kOk;
}

// Tells whether an object has no hash. To be told so by a TypeError takes ten
// times as long as a look-up.
bool IsUnhashable(PyObject* value) {
  return PyType_GetSlot(Py_TYPE(value), Py_tp_hash) ==
         reinterpret_cast<void*>(PyObject_HashNotImplemented);
}

StepOutcome LookUp(const Step& step, PyObject* value, PyObject** result) {
  if (!PyUnicode_CheckExact(value) && IsUnhashable(value)) {
    return StepOutcome::kOk;
  }
  *result = PyDict_GetItemWithError(step.constant.get(), value);
  if (*result == nullptr) {
    if (PyErr_Occurred()) return MissingIf(PyExc_TypeError);
    *result = step.fallback.get();
  }
  Py_XINCREF(*result);
  return StepOutcome::kOk;
}

StepOutcome IsIn(const Step& step, PyObject* value, PyObject** result) {
  const int found = PySequence_Contains(step.constant.get(), value);
  if (found < 0) return MissingIf(PyExc_TypeError);
  *result = NewBool(found == 1);
  return StepOutcome::kOk;
}

// Of strings only: programs call methods by a step where they have found one.
StepOutcome CallMethod(const Step& step, PyObject* value, PyObject** result) {
  if (!PyUnicode_CheckExact(value)) return StepOutcome::kOk;
  PyObject* arguments = step.arguments.get();
  if (PyTuple_Size(arguments) == 0) {
    *result = PyObject_CallMethodObjArgs(value, step.constant.get(), nullptr);
  } else {
    const PyRef method =
        PyRef::Steal(PyObject_GetAttr(value, step.constant.get()));
    if (!method) return StepOutcome::kError;
    *result = PyObject_Call(method.get(), arguments, nullptr);
  }
  if (*result != nullptr) return StepOutcome::kOk;
  if (PyErr_ExceptionMatches(PyExc_TypeError))
    return MissingIf(PyExc_TypeError);
  return MissingIf(PyExc_ValueError);
}

// Makes an int or a float of an exact str, int, bool or float.
StepOutcome ConvertTo(PyTypeObject* type, PyObject* value, PyObject** result) {
  if (!PyUnicode_CheckExact(value) && !PyLong_CheckExact(value) &&
      !PyBool_Check(value) && !PyFloat_CheckExact(value)) {
    return StepOutcome::kUnsupported;
  }
  *result = PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(type),
                                         value, nullptr);
  if (*result != nullptr) return StepOutcome::kOk;
  if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
    return MissingIf(PyExc_OverflowError);
  }
  return MissingIf(PyExc_ValueError);
}

}  // namespace

StepOutcome Evaluate(const Step& step, PyObject* value, PyObject** result) {
  *result = nullptr;
  if (value == nullptr) return StepOutcome::kOk;
  switch (step.kind) {
    case Step::Kind::kAttr:
      break;  // See AttributeReader.
    case Step::Kind::kItem:
      return value == Py_None ? StepOutcome::kOk : GetItem(step, value, result);
    case Step::Kind::kLen:
      return value == Py_None ? StepOutcome::kOk : GetLength(value, result);
    case Step::Kind::kCall:
      return value == Py_None ? StepOutcome::kOk
                              : CallMethod(step, value, result);
    case Step::Kind::kInt:
      return value == Py_None ? StepOutcome::kOk
                              : ConvertTo(&PyLong_Type, value, result);
    case Step::Kind::kFloat:
      return value == Py_None ? StepOutcome::kOk
                              : ConvertTo(&PyFloat_Type, value, result);
    case Step::Kind::kKeys:
    case Step::Kind::kValues:
      return value == Py_None ? StepOutcome::kOk
                              : GetContents(step, value, result);
    case Step::Kind::kMethod:
      return value == Py_None ? StepOutcome::kOk
                              : CheckMethod(step, value, result);
    case Step::Kind::kChildren:
      return value == Py_None ? StepOutcome::kOk
                              : GetChildren(step, value, result);
    case Step::Kind::kId:
      if (value == Py_None) return StepOutcome::kOk;
      *result = PyLong_FromVoidPtr(value);
      return *result == nullptr ? StepOutcome::kError : StepOutcome::kOk;
    case Step::Kind::kIsInstance:
      *result = NewBool(std::any_of(step.classes.begin(), step.classes.end(),
                                    [value](PyTypeObject* cls) {
                                      return PyObject_TypeCheck(value, cls);
                                    }));
      return StepOutcome::kOk;
    case Step::Kind::kTruth:
      return GetTruth(value, result);
    case Step::Kind::kEq:
      return IsEqual(step, value, result);
    case Step::Kind::kLookup:
      return LookUp(step, value, result);
    case Step::Kind::kIn:
      return IsIn(step, value, result);
  }
  return StepOutcome::kUnsupported;
}

}  // namespace recursive_tf
