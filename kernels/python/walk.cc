#include "kernels/python/walk.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "kernels/python/cells.h"

namespace recursive_tf {
namespace {

constexpr size_t kRowsPerSignalCheck = size_t{1} << 16;
// Reading such objects may give ever more of them.
constexpr size_t kMaxFresh = size_t{1} << 19;
constexpr size_t kMaxHandles = std::numeric_limits<int32_t>::max();

bool IsSequence(PyObject* value) {
  return PyList_Check(value) || PyTuple_Check(value);
}

// Calls `add` with each element, borrowed, until it returns false. `sequence`
// is a list or a tuple, or of a type derived from one.
template <typename Add>
void ForEachElement(PyObject* sequence, const Add& add) {
  if (PyList_Check(sequence)) {
    for (Py_ssize_t i = 0; i < PyList_Size(sequence); ++i) {
      if (!add(PyList_GetItem(sequence, i), i)) return;
    }
  } else {
    for (Py_ssize_t i = 0; i < PyTuple_Size(sequence); ++i) {
      if (!add(PyTuple_GetItem(sequence, i), i)) return;
    }
  }
}

bool IsListed(const std::vector<PyTypeObject*>& classes, PyObject* value) {
  return std::find(classes.begin(), classes.end(), Py_TYPE(value)) !=
         classes.end();
}

bool Fits(const std::vector<int32_t>& handles, Py_ssize_t more) {
  return handles.size() + static_cast<size_t>(more) <= kMaxHandles;
}

WalkOutcome TooMany(const char* what) {
  PyErr_Format(PyExc_OverflowError,
               "Walker.walk: more than %d %s. Walk fewer roots at a time.",
               std::numeric_limits<int32_t>::max(), what);
  return WalkOutcome::kError;
}

}  // namespace

WalkOutcome Walk::Run(PyObject* roots) {
  const PyRef sequence = PyRef::Steal(
      PySequence_Fast(roots, "Walker.walk: roots must be a sequence"));
  if (!sequence) return WalkOutcome::kError;
  WalkOutcome outcome = WalkOutcome::kDone;
  ForEachElement(sequence.get(), [&](PyObject* root, Py_ssize_t) {
    int32_t handle;
    if (AddObject(root, &handle)) {
      tables_.roots.push_back(handle);
      outcome = VisitAgenda();
    } else {
      outcome = Report("type", root);
    }
    return outcome == WalkOutcome::kDone;
  });
  return outcome;
}

WalkOutcome Walk::VisitAgenda() {
  std::vector<int32_t>& agenda = tables_.agenda;
  while (!agenda.empty()) {
    const int32_t row = agenda.back();
    agenda.pop_back();
    if (++num_visited_ % kRowsPerSignalCheck == 0 &&
        PyErr_CheckSignals() != 0) {
      return WalkOutcome::kError;
    }
    const WalkOutcome outcome = VisitRow(row);
    if (outcome != WalkOutcome::kDone) return outcome;
  }
  return WalkOutcome::kDone;
}

// Returns what to read of objects of `type`; null if that is not known.
inline const Program* Walk::FindProgram(PyTypeObject* type) {
  if (type != last_type_) {
    const int32_t number = plan_.program_of_type.Find(type);
    last_type_ = type;
    last_program_ = number < 0 ? nullptr : &plan_.programs[number];
  }
  return last_program_;
}

inline void Walk::AddRow(PyObject* object, const Program* program) {
  const Layout& layout = plan_.layout;
  tables_.agenda.push_back(static_cast<int32_t>(tables_.rows.size()));
  tables_.rows.push_back({object, program});
  Py_INCREF(object);
  const size_t num_rows = tables_.rows.size();
  tables_.ints.insert(tables_.ints.end(), layout.default_ints.begin(),
                      layout.default_ints.end());
  if (layout.num_floats > 0) {
    tables_.floats.resize(num_rows * layout.num_floats);
  }
  if (layout.num_strings > 0) {
    tables_.strings.resize(num_rows * layout.num_strings);
  }
}

// Finds or makes the row of `value`, which is not missing. Returns false if its
// type is not known. Runs no Python code.
inline bool Walk::AddObject(PyObject* value, int32_t* handle) {
  if (value == Py_None) {
    *handle = kNoneHandle;
    return true;
  }
  const Program* program = FindProgram(Py_TYPE(value));
  if (program == nullptr) return false;
  const auto next = static_cast<int32_t>(tables_.rows.size());
  *handle = tables_.row_of.FindOrInsert(value, next);
  if (*handle == next) AddRow(value, program);
  return true;
}

WalkOutcome Walk::VisitRow(size_t row) {
  const Tables::Row visited = tables_.rows[row];
  const Program& program = *visited.program;
  const size_t num_registers = program.steps.size() + 1;
  if (tables_.registers.size() < num_registers) {
    tables_.registers.resize(num_registers);
  }
  Py_INCREF(visited.object);
  tables_.registers[0] = visited.object;
  WalkOutcome outcome = WalkOutcome::kDone;
  size_t next_step = 0;
  for (const Column& column : program.columns) {
    outcome = RunSteps(program, column, &next_step);
    if (outcome == WalkOutcome::kDone) {
      outcome = Fill(column, tables_.registers[column.source], row);
    }
    if (outcome != WalkOutcome::kDone) {
      if (outcome == WalkOutcome::kSurprise) {
        surprise_.object = PyRef::Borrow(visited.object);
        if (!surprise_.path) surprise_.path = PyRef::Borrow(column.path.get());
        surprise_.column = static_cast<int>(&column - program.columns.data());
      }
      break;
    }
  }
  ReleaseRegisters(num_registers);
  return outcome;
}

// Runs the steps that `column` needs and no earlier column needed.
inline WalkOutcome Walk::RunSteps(const Program& program, const Column& column,
                                  size_t* next_step) {
  for (; *next_step < static_cast<size_t>(column.end_step); ++*next_step) {
    const Step& step = program.steps[*next_step];
    PyObject* source = tables_.registers[step.source];
    PyObject* result = nullptr;
    const StepOutcome outcome =
        Evaluate(step, source, &tables_.attributes, &result);
    if (outcome == StepOutcome::kError) return WalkOutcome::kError;
    if (outcome == StepOutcome::kUnsupported) {
      return Report("unsupported", source);
    }
    tables_.registers[*next_step + 1] = result;
  }
  return WalkOutcome::kDone;
}

inline WalkOutcome Walk::Fill(const Column& column, PyObject* value,
                              size_t row) {
  if (column.kind == Column::Kind::kHandle) {
    return FillHandle(column, value, row);
  }
  if (column.kind == Column::Kind::kItems) return FillItems(column, value, row);
  if (column.kind == Column::Kind::kTypes) return CheckType(column, value);
  if (column.kind == Column::Kind::kItemTypes) {
    return CheckItemTypes(column, value);
  }
  if (value == nullptr || value == Py_None) {
    if (!column.is_optional) {
      return Report(value == nullptr ? "missing" : "none", value);
    }
    IntCell(row, column.status) =
        value == nullptr ? kStatusMissing : kStatusNone;
    return WalkOutcome::kDone;
  }
  if (column.is_optional) IntCell(row, column.status) = kStatusOk;
  const Layout& layout = plan_.layout;
  switch (column.kind) {
    case Column::Kind::kInt:
      return FillInt(column, value, row);
    case Column::Kind::kBool:
      if (!PyBool_Check(value)) return Report("kind", value);
      IntCell(row, column.index) = value == Py_True ? 1 : 0;
      return WalkOutcome::kDone;
    case Column::Kind::kFloat:
      if (!PyFloat_CheckExact(value)) return Report("kind", value);
      tables_.floats[row * layout.num_floats + column.index] =
          PyFloat_AsDouble(value);
      return WalkOutcome::kDone;
    case Column::Kind::kString:
      if (!PyUnicode_CheckExact(value)) return Report("kind", value);
      Py_INCREF(value);
      tables_.strings[row * layout.num_strings + column.index] = value;
      return WalkOutcome::kDone;
    default:
      return FillTensor(column, value, row);
  }
}

inline WalkOutcome Walk::FillHandle(const Column& column, PyObject* value,
                                    size_t row) {
  int32_t handle = kMissingHandle;
  if (value != nullptr) {
    // What lies in another object has a reference from there beside ours.
    const bool is_fresh = Py_REFCNT(value) == 1;
    if (!AddObject(value, &handle)) return Report("type", value);
    if (is_fresh && ++num_fresh_ > kMaxFresh) return Report("fresh", value);
  }
  if (tables_.rows.size() >= kMaxHandles) return TooMany("objects");
  IntCell(row, column.index) = handle;
  return WalkOutcome::kDone;
}

inline WalkOutcome Walk::FillItems(const Column& column, PyObject* value,
                                   size_t row) {
  if (value == nullptr || value == Py_None) {
    IntCell(row, column.index) = 0;
    IntCell(row, column.index + 1) =
        value == nullptr ? kMissingHandle : kNoneHandle;
    return WalkOutcome::kDone;
  }
  if (!IsSequence(value)) return Report("kind", value);
  const Py_ssize_t size =
      PyList_Check(value) ? PyList_Size(value) : PyTuple_Size(value);
  if (!Fits(tables_.items, size)) return TooMany("items");
  if (tables_.rows.size() + size >= kMaxHandles) return TooMany("objects");
  IntCell(row, column.index) = static_cast<int32_t>(tables_.items.size());
  IntCell(row, column.index + 1) = static_cast<int32_t>(size);
  WalkOutcome outcome = WalkOutcome::kDone;
  ForEachElement(value, [&](PyObject* element, Py_ssize_t place) {
    int32_t handle;
    if (!AddObject(element, &handle)) {
      outcome = ReportItem("type", element, place, column);
      return false;
    }
    tables_.items.push_back(handle);
    return true;
  });
  return outcome;
}

inline WalkOutcome Walk::FillInt(const Column& column, PyObject* value,
                                 size_t row) {
  if (!PyLong_CheckExact(value)) return Report("kind", value);
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow != 0 || number < std::numeric_limits<int32_t>::min() ||
      number > std::numeric_limits<int32_t>::max()) {
    return Report("range", value);
  }
  IntCell(row, column.index) = static_cast<int32_t>(number);
  return WalkOutcome::kDone;
}

inline WalkOutcome Walk::FillTensor(const Column& column, PyObject* value,
                                    size_t row) {
  DistinctObjects& distinct = tables_.tensors[column.index];
  const auto next = static_cast<int32_t>(distinct.objects.size());
  const int32_t place = distinct.place_of.FindOrInsert(value, next);
  if (place == next) {
    distinct.objects.push_back(value);
    Py_INCREF(value);
  }
  IntCell(row, column.position) = place;
  return WalkOutcome::kDone;
}

inline WalkOutcome Walk::CheckType(const Column& column, PyObject* value) {
  if (value == nullptr) {
    return column.is_optional ? WalkOutcome::kDone : Report("missing", value);
  }
  if (IsListed(column.classes, value)) return WalkOutcome::kDone;
  return Report(value == Py_None ? "none" : "kind", value);
}

WalkOutcome Walk::CheckItemTypes(const Column& column, PyObject* value) {
  WalkOutcome outcome = WalkOutcome::kDone;
  if (value == nullptr || !IsSequence(value)) return outcome;
  ForEachElement(value, [&](PyObject* element, Py_ssize_t place) {
    if (IsListed(column.classes, element)) return true;
    outcome = ReportItem("kind", element, place, column);
    return false;
  });
  return outcome;
}

WalkOutcome Walk::Report(const char* reason, PyObject* value) {
  surprise_.reason = reason;
  surprise_.value = PyRef::Borrow(value);
  return WalkOutcome::kSurprise;
}

WalkOutcome Walk::ReportItem(const char* reason, PyObject* element,
                             Py_ssize_t place, const Column& column) {
  Report(reason, element);
  const PyRef item = PyRef::Steal(Py_BuildValue("((sn))", "item", place));
  surprise_.path = PyRef::Steal(
      item ? PySequence_Concat(column.path.get(), item.get()) : nullptr);
  return surprise_.path ? WalkOutcome::kSurprise : WalkOutcome::kError;
}

// Each is empty before its object goes: a finalizer may run any code.
inline void Walk::ReleaseRegisters(size_t num_registers) {
  for (size_t i = 0; i < num_registers; ++i) {
    PyObject* object = tables_.registers[i];
    tables_.registers[i] = nullptr;
    Py_XDECREF(object);
  }
}

inline int32_t& Walk::IntCell(size_t row, int index) {
  return tables_.ints[row * plan_.layout.default_ints.size() + index];
}

}  // namespace recursive_tf
