#include "kernels/python/walk.h"

#include <cstdint>
#include <limits>
#include <utility>

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
  for (const PyTypeObject* type : classes) {
    if (type == Py_TYPE(value)) return true;
  }
  return false;
}

bool Fits(const NumberArray<int32_t>& handles, Py_ssize_t more) {
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
  tables_.rows.Warm();
  tables_.registers.resize(plan_.num_registers);
  FindReaders();
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

// Asks each type whether its attributes are read as those of `object`, as
// PyObject_GetAttr does for each read, which takes a tenth of the walk.
void Walk::FindReaders() {
  tables_.readers.clear();
  for (const Program& program : plan_.programs) {
    auto* const type = reinterpret_cast<PyTypeObject*>(program.type.get());
    const bool is_generic = AttributeReader::IsGeneric(type);
    tables_.readers.push_back(is_generic ? PyObject_GenericGetAttr
                                         : PyObject_GetAttr);
  }
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
  if (type == last_.type) return last_.program;
  std::swap(last_, last_but_one_);
  if (type != last_.type) {
    const int32_t number =
        plan_.program_of_type.Find(reinterpret_cast<PyObject*>(type));
    last_ = {type, number < 0 ? nullptr : &plan_.programs[number]};
  }
  return last_.program;
}

// Makes the cells of a new row.
inline void Walk::AddRow(int32_t row, const Program& program) {
  const Layout& layout = plan_.layout;
  if (!program.columns.empty()) tables_.agenda.push_back(row);
  tables_.ints.Append(layout.default_ints.data(), layout.default_ints.size());
  const size_t num_rows = tables_.rows.size();
  if (layout.num_floats > 0) {
    tables_.floats.Extend(num_rows * layout.num_floats);
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
  const Program* const program = FindProgram(Py_TYPE(value));
  if (program == nullptr) return false;
  const size_t next = tables_.rows.size();
  *handle = tables_.rows.FindOrAdd(value);
  if (tables_.rows.size() > next) AddRow(*handle, *program);
  return true;
}

WalkOutcome Walk::VisitRow(size_t number) {
  PyObject* const object = tables_.rows[number];
  const Program* const found = FindProgram(Py_TYPE(object));
  // Known when it was met; only code that attributes run can change that.
  if (found == nullptr) {
    surprise_.object = PyRef::Borrow(object);
    return Report("type", object);
  }
  const Program& program = *found;
  const getattrofunc read = tables_.readers[found - plan_.programs.data()];
  const Row row = {object, number, number * plan_.layout.default_ints.size()};
  // A walk that Python code starts meanwhile has tables of its own.
  PyObject** const registers = tables_.registers.data();
  registers[0] = object;
  int num_steps = 0;
  WalkOutcome outcome = WalkOutcome::kDone;
  for (const Column& column : program.columns) {
    if (column.reads_alone) {
      outcome = FillAlone(column, program.steps[num_steps++], read, row);
    } else {
      for (; num_steps < column.end_step; ++num_steps) {
        outcome =
            RunStep(program.steps[num_steps], read, registers, num_steps + 1);
        if (outcome != WalkOutcome::kDone) break;
      }
      if (outcome == WalkOutcome::kDone) {
        outcome = Fill(column, registers[column.source], row);
      }
    }
    if (outcome != WalkOutcome::kDone) {
      if (outcome == WalkOutcome::kSurprise) {
        surprise_.object = PyRef::Borrow(object);
        if (!surprise_.path) surprise_.path = PyRef::Borrow(column.path.get());
        const bool is_required = !surprise_.value && column.required_by >= 0;
        surprise_.column = is_required ? column.required_by : column.number;
      }
      break;
    }
  }
  // Each is empty before its object goes: a finalizer may run any code.
  for (int i = 1; i <= num_steps; ++i) {
    Py_XDECREF(std::exchange(registers[i], nullptr));
  }
  return outcome;
}

// Fills a column with an attribute that no other asks for.
inline WalkOutcome Walk::FillAlone(const Column& column, const Step& step,
                                   getattrofunc read, const Row& row) {
  PyObject* value = nullptr;
  if (!tables_.attributes.Read(step.number, read, row.object,
                               step.constant.get(), &value)) {
    return WalkOutcome::kError;
  }
  const WalkOutcome outcome = Fill(column, value, row);
  Py_XDECREF(value);
  return outcome;
}

// Runs a step, which reads a register and writes another one. `read` reads
// attributes of the object itself.
inline WalkOutcome Walk::RunStep(const Step& step, getattrofunc read,
                                 PyObject** registers, int target) {
  PyObject* source = registers[step.source];
  PyObject* result = nullptr;
  if (step.kind == Step::Kind::kAttr) {  // Nearly all are.
    if (source != nullptr && source != Py_None &&
        !tables_.attributes.Read(step.number,
                                 step.source == 0 ? read : PyObject_GetAttr,
                                 source, step.constant.get(), &result)) {
      return WalkOutcome::kError;
    }
  } else {
    const StepOutcome outcome = Evaluate(step, source, &result);
    if (outcome == StepOutcome::kError) return WalkOutcome::kError;
    if (outcome == StepOutcome::kUnsupported) {
      return Report("unsupported", source);
    }
  }
  registers[target] = result;
  return WalkOutcome::kDone;
}

inline WalkOutcome Walk::Fill(const Column& column, PyObject* value,
                              const Row& row) {
  switch (column.kind) {
    case Column::Kind::kHandle:
      return FillHandle(column, value, row);
    case Column::Kind::kTypes:
      return CheckType(column, value);
    case Column::Kind::kItems:
      return FillItems(column, value, row);
    case Column::Kind::kItemTypes:
      return CheckItemTypes(column, value);
    default:
      return FillValue(column, value, row);
  }
}

inline WalkOutcome Walk::FillValue(const Column& column, PyObject* value,
                                   const Row& row) {
  if (value == nullptr || value == Py_None) {
    if (!column.is_optional) {
      return Report(value == nullptr ? "missing" : "none", value);
    }
    if (value == nullptr && column.required_by >= 0) {
      return Report("missing", value);
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
      tables_.floats[row.number * layout.num_floats + column.index] =
          PyFloat_AsDouble(value);
      return WalkOutcome::kDone;
    case Column::Kind::kString:
      if (!PyUnicode_CheckExact(value)) return Report("kind", value);
      Py_INCREF(value);
      tables_.strings[row.number * layout.num_strings + column.index] = value;
      return WalkOutcome::kDone;
    default:
      return FillTensor(column, value, row);
  }
}

inline WalkOutcome Walk::FillHandle(const Column& column, PyObject* value,
                                    const Row& row) {
  int32_t handle = kMissingHandle;
  if (value != nullptr) {
    // What lies in another object has a reference from there beside ours.
    const bool is_fresh = column.source != 0 && Py_REFCNT(value) == 1;
    if (!AddObject(value, &handle)) return Report("type", value);
    if (is_fresh && ++num_fresh_ > kMaxFresh) return Report("fresh", value);
  } else if (column.required_by >= 0) {
    return Report("missing", value);
  }
  if (tables_.rows.size() >= kMaxHandles) return TooMany("objects");
  IntCell(row, column.index) = handle;
  return WalkOutcome::kDone;
}

inline WalkOutcome Walk::FillItems(const Column& column, PyObject* value,
                                   const Row& row) {
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
                                 const Row& row) {
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
                                    const Row& row) {
  IntCell(row, column.position) =
      tables_.tensors[column.index].FindOrAdd(value);
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

inline int32_t& Walk::IntCell(const Row& row, int index) {
  return tables_.ints[row.first_int + index];
}

}  // namespace recursive_tf
