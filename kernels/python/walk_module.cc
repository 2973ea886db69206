// The Python module recursive_tf._walk; recursive_tf/_walk.pyi documents it.
#include <memory>
#include <new>
#include <utility>

#include "kernels/python/identities.h"
#include "kernels/python/program.h"
#include "kernels/python/py_ref.h"
#include "kernels/python/results.h"
#include "kernels/python/tables.h"
#include "kernels/python/walk.h"

namespace recursive_tf {
namespace {

// The types that results are made of, per module object.
struct ModuleState {
  PyObject* rows_type;      // Owned.
  PyObject* surprise_type;  // Owned.
};

// What a Walker is. Python makes its memory, so it holds this by address.
struct WalkerParts {
  std::unique_ptr<const Plan> plan;
  // Not here while a walk has them: one that starts then makes its own.
  std::unique_ptr<Tables> idle_tables;
};

struct Walker {
  PyObject_HEAD WalkerParts*
      parts;  // Owned; null until made, and once collected.
};

WalkerParts*& PartsOf(PyObject* self) {
  return reinterpret_cast<Walker*>(self)->parts;
}

PyObject* NewWalker(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* const kNames[] = {"types",
                                       "num_int_columns",
                                       "num_float_columns",
                                       "num_string_columns",
                                       "num_tensor_columns",
                                       nullptr};
  PyObject* types = nullptr;
  ColumnCounts counts;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "Oiiii:Walker",
                                   const_cast<char**>(kNames), &types,
                                   &counts.num_ints, &counts.num_floats,
                                   &counts.num_strings, &counts.num_tensors)) {
    return nullptr;
  }
  try {
    auto parts = std::make_unique<WalkerParts>();
    parts->plan = ParsePlan(types, counts);
    if (parts->plan == nullptr) return nullptr;
    PyObject* self = PyType_GenericAlloc(type, 0);
    if (self != nullptr) PartsOf(self) = parts.release();
    return self;
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

int ClearWalker(PyObject* self) {
  std::unique_ptr<WalkerParts>(std::exchange(PartsOf(self), nullptr));
  return 0;
}

int VisitWalker(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<PyObject*>(Py_TYPE(self)));
  const WalkerParts* parts = PartsOf(self);
  return parts == nullptr ? 0 : parts->plan->Visit(visit, arg);
}

void DeleteWalker(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  ClearWalker(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

// Walks in `tables`, which may hold anything after.
PyRef WalkIn(const ModuleState& state, const Plan& plan, PyObject* roots,
             Tables* tables) {
  Walk walk(plan, tables);
  switch (walk.Run(roots)) {
    case WalkOutcome::kDone:
      return NewRows(state.rows_type, plan.layout, tables);
    case WalkOutcome::kSurprise:
      return NewSurprise(state.surprise_type, walk.surprise());
    case WalkOutcome::kError:
      break;
  }
  return PyRef();
}

// Runs `work` where no exception is set, and sets again the one that was.
template <typename Work>
void KeepException(const Work& work) {
  PyObject* type;
  PyObject* value;
  PyObject* traceback;
  PyErr_Fetch(&type, &value, &traceback);
  work();
  PyErr_Restore(type, value, traceback);
}

PyObject* WalkRoots(PyObject* self, PyObject* roots) {
  const auto* state =
      static_cast<ModuleState*>(PyType_GetModuleState(Py_TYPE(self)));
  if (state == nullptr) return nullptr;
  WalkerParts* parts = PartsOf(self);
  if (parts == nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "Walker.walk: the walker is destroyed");
    return nullptr;
  }
  try {
    std::unique_ptr<Tables> tables = std::move(parts->idle_tables);
    if (tables == nullptr) {
      tables = std::make_unique<Tables>(*parts->plan);
    }
    PyRef result;
    try {
      result = WalkIn(*state, *parts->plan, roots, tables.get());
    } catch (const std::bad_alloc&) {
      PyErr_NoMemory();
    }
    KeepException([&] { tables->Clear(); });
    parts->idle_tables = std::move(tables);
    return result.release();
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

PyMethodDef walker_methods[] = {
    {"walk", WalkRoots, METH_O,
     "walk($self, roots, /)\n--\n\n"
     "Visits what is reachable from the roots and fills the columns."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot walker_slots[] = {
    {Py_tp_doc, const_cast<char*>("Reads Python objects into columns.")},
    {Py_tp_new, reinterpret_cast<void*>(NewWalker)},
    {Py_tp_dealloc, reinterpret_cast<void*>(DeleteWalker)},
    {Py_tp_traverse, reinterpret_cast<void*>(VisitWalker)},
    {Py_tp_clear, reinterpret_cast<void*>(ClearWalker)},
    {Py_tp_methods, walker_methods},
    {0, nullptr},
};

PyType_Spec walker_spec = {"recursive_tf._walk.Walker", sizeof(Walker), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                           walker_slots};

// --- Identities

struct IdentitiesObject {
  PyObject_HEAD Identities* identities;  // Owned; null until made, once gone.
};

Identities*& IdentitiesOf(PyObject* self) {
  return reinterpret_cast<IdentitiesObject*>(self)->identities;
}

PyObject* NewIdentities(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* const kNames[] = {"entries", nullptr};
  PyObject* entries = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:Identities",
                                   const_cast<char**>(kNames), &entries)) {
    return nullptr;
  }
  try {
    std::unique_ptr<Identities> made = Identities::Parse(entries);
    if (made == nullptr) return nullptr;
    PyObject* self = PyType_GenericAlloc(type, 0);
    if (self != nullptr) IdentitiesOf(self) = made.release();
    return self;
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

int ClearIdentities(PyObject* self) {
  std::unique_ptr<Identities>(std::exchange(IdentitiesOf(self), nullptr));
  return 0;
}

int VisitIdentities(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<PyObject*>(Py_TYPE(self)));
  const Identities* identities = IdentitiesOf(self);
  return identities == nullptr ? 0 : identities->Visit(visit, arg);
}

void DeleteIdentities(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  ClearIdentities(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

PyObject* FirstOther(PyObject* self, PyObject* start) {
  const Py_ssize_t first = PyLong_AsSsize_t(start);
  if (first == -1 && PyErr_Occurred() != nullptr) return nullptr;
  Identities* identities = IdentitiesOf(self);
  if (identities == nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "Identities: they are destroyed");
    return nullptr;
  }
  try {
    const Py_ssize_t found = identities->FirstOther(first);
    return found == Identities::kError ? nullptr : PyLong_FromSsize_t(found);
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

PyMethodDef identities_methods[] = {
    {"first_other", FirstOther, METH_O,
     "first_other($self, start, /)\n--\n\n"
     "Returns the first entry that does not hold any more; -1 if all do."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot identities_slots[] = {
    {Py_tp_doc,
     const_cast<char*>("What was found at places, compared by identity.")},
    {Py_tp_new, reinterpret_cast<void*>(NewIdentities)},
    {Py_tp_dealloc, reinterpret_cast<void*>(DeleteIdentities)},
    {Py_tp_traverse, reinterpret_cast<void*>(VisitIdentities)},
    {Py_tp_clear, reinterpret_cast<void*>(ClearIdentities)},
    {Py_tp_methods, identities_methods},
    {0, nullptr},
};

PyType_Spec identities_spec = {
    "recursive_tf._walk.Identities", sizeof(IdentitiesObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, identities_slots};

ModuleState* StateOf(PyObject* module) {
  return static_cast<ModuleState*>(PyModule_GetState(module));
}

int FillModule(PyObject* module) {
  ModuleState* state = StateOf(module);
  state->rows_type = NewRowsType().release();
  state->surprise_type = NewSurpriseType().release();
  if (state->rows_type == nullptr || state->surprise_type == nullptr) return -1;
  const PyRef walker_type =
      PyRef::Steal(PyType_FromModuleAndSpec(module, &walker_spec, nullptr));
  const PyRef identities_type =
      PyRef::Steal(PyType_FromModuleAndSpec(module, &identities_spec, nullptr));
  if (!walker_type || !identities_type) return -1;
  const std::pair<const char*, PyObject*> members[] = {
      {"Walker", walker_type.get()},
      {"Identities", identities_type.get()},
      {"Rows", state->rows_type},
      {"Surprise", state->surprise_type},
  };
  for (const auto& [name, member] : members) {
    if (PyModule_AddObjectRef(module, name, member) != 0) return -1;
  }
  return 0;
}

int VisitModule(PyObject* module, visitproc visit, void* arg) {
  const ModuleState* state = StateOf(module);
  Py_VISIT(state->rows_type);
  Py_VISIT(state->surprise_type);
  return 0;
}

int ClearModule(PyObject* module) {
  ModuleState* state = StateOf(module);
  PyRef::Steal(std::exchange(state->rows_type, nullptr));
  PyRef::Steal(std::exchange(state->surprise_type, nullptr));
  return 0;
}

PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, reinterpret_cast<void*>(FillModule)},
    {0, nullptr},
};

PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    "recursive_tf._walk",
    "Reads Python objects into columns.",
    sizeof(ModuleState),
    nullptr,
    module_slots,
    VisitModule,
    ClearModule,
    nullptr,
};

}  // namespace
}  // namespace recursive_tf

PyMODINIT_FUNC PyInit__walk() {
  return PyModuleDef_Init(&recursive_tf::module_def);
}
