#include "kernels/python/program.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/python/cells.h"

namespace recursive_tf {
namespace {

struct KindName {
  std::string_view name;
  Column::Kind kind;
};

constexpr KindName kKindNames[] = {
    {"handle", Column::Kind::kHandle},
    {"items", Column::Kind::kItems},
    {"int", Column::Kind::kInt},
    {"bool", Column::Kind::kBool},
    {"float", Column::Kind::kFloat},
    {"str", Column::Kind::kString},
    {"tensor", Column::Kind::kTensor},
    {"types", Column::Kind::kTypes},
    {"item types", Column::Kind::kItemTypes},
};

// Returns the one type of the values that a column takes; null if there is
// none.
PyTypeObject* TypeOfValues(Column::Kind kind) {
  if (kind == Column::Kind::kInt) return &PyLong_Type;
  if (kind == Column::Kind::kBool) return &PyBool_Type;
  if (kind == Column::Kind::kFloat) return &PyFloat_Type;
  return kind == Column::Kind::kString ? &PyUnicode_Type : nullptr;
}

// Parses the arguments of one Walker into `plan_`.
class PlanParser final {
 public:
  PlanParser(const ColumnCounts& counts, Plan* plan)
      : counts_(counts), plan_(plan), roles_(counts.num_ints, Role::kUnused) {}

  bool Parse(PyObject* types);

 private:
  // What an int column holds; it must be the same for all types.
  enum class Role {
    kUnused,
    kHandle,
    kStart,
    kLength,
    kValue,
    kPosition,
    kStatus
  };

  bool ParseEntry(PyObject* entry);
  void LeaveOutImplied(Program* program) const;
  bool Implies(const Column& before, const Column& column) const;
  static void FindAlone(Program* program);
  std::vector<PyTypeObject*> TakenBy(const Column& column) const;
  bool ParseColumn(PyObject* spec, Program* program);
  bool ParseKind(PyObject* spec, Column* column);
  bool ParseTargets(PyObject* spec, Column* column);
  bool ParseClasses(PyObject* spec, Column* column);
  bool ParsePath(PyObject* spec, Program* program, Column* column);
  bool GetIndex(PyObject* spec, Py_ssize_t place, int limit, int* index);
  bool Claim(PyObject* spec, std::vector<char>* claimed, int index);
  bool SetRole(PyObject* spec, int index, Role role, int32_t default_value);

  static bool Refuse(PyObject* spec, const char* why) {
    PyErr_Format(PyExc_ValueError, "Walker: column %R: %s", spec, why);
    return false;
  }

  const ColumnCounts counts_;
  Plan* const plan_;
  std::vector<Role> roles_;
  // What the type in work fills already.
  std::vector<char> claimed_ints_;
  std::vector<char> claimed_floats_;
  std::vector<char> claimed_strings_;
};

bool PlanParser::Parse(PyObject* types) {
  if (counts_.num_ints < 0 || counts_.num_floats < 0 ||
      counts_.num_strings < 0 || counts_.num_tensors < 0) {
    PyErr_SetString(PyExc_ValueError,
                    "Walker: a number of columns is negative");
    return false;
  }
  Layout& layout = plan_->layout;
  layout.num_floats = counts_.num_floats;
  layout.num_strings = counts_.num_strings;
  layout.num_tensors = counts_.num_tensors;
  layout.default_ints.assign(counts_.num_ints, 0);
  const PyRef entries = PyRef::Steal(PySequence_Tuple(types));
  if (!entries) return false;
  for (Py_ssize_t i = 0; i < PyTuple_Size(entries.get()); ++i) {
    if (!ParseEntry(PyTuple_GetItem(entries.get(), i))) return false;
  }
  for (Program& program : plan_->programs) {
    LeaveOutImplied(&program);
    FindAlone(&program);
  }
  return true;
}

// Leaves out the columns of classes that need no look at the value: the column
// before has taken it, which takes only such.
void PlanParser::LeaveOutImplied(Program* program) const {
  std::vector<Column> columns;
  for (Column& column : program->columns) {
    if (columns.empty() || !Implies(columns.back(), column)) {
      columns.push_back(std::move(column));
      continue;
    }
    Column& before = columns.back();
    const bool takes_missing =
        before.is_optional || before.kind == Column::Kind::kHandle;
    if (takes_missing && !column.is_optional && before.required_by < 0) {
      before.required_by = column.number;
    }
  }
  program->columns = std::move(columns);
}

// Tells whether a kTypes column finds nothing wrong with a value, if it is not
// missing, that the column before takes.
bool PlanParser::Implies(const Column& before, const Column& column) const {
  if (column.kind != Column::Kind::kTypes || before.source != column.source) {
    return false;
  }
  const std::vector<PyTypeObject*> taken = TakenBy(before);
  return !taken.empty() &&
         std::all_of(taken.begin(), taken.end(), [&](PyTypeObject* type) {
           return std::find(column.classes.begin(), column.classes.end(),
                            type) != column.classes.end();
         });
}

// Finds the columns that read an attribute of the object for themselves alone.
void PlanParser::FindAlone(Program* program) {
  const std::vector<Step>& steps = program->steps;
  int begin = 0;
  for (Column& column : program->columns) {
    const auto reads = [&column](const auto& other) {
      return other.source == column.source;
    };
    column.reads_alone =
        column.end_step == begin + 1 && column.source == column.end_step &&
        steps[begin].kind == Step::Kind::kAttr && steps[begin].source == 0 &&
        std::none_of(steps.begin(), steps.end(), reads) &&
        std::count_if(program->columns.begin(), program->columns.end(),
                      reads) == 1;
    begin = column.end_step;
  }
}

// Returns the types of which a column takes values; none if that is not known.
std::vector<PyTypeObject*> PlanParser::TakenBy(const Column& column) const {
  std::vector<PyTypeObject*> types;
  if (column.kind == Column::Kind::kHandle) {
    for (const Program& program : plan_->programs) {
      types.push_back(reinterpret_cast<PyTypeObject*>(program.type.get()));
    }
  } else if (PyTypeObject* const type = TypeOfValues(column.kind)) {
    types.push_back(type);
  } else {
    return types;
  }
  if (column.is_optional || column.kind == Column::Kind::kHandle) {
    types.push_back(Py_TYPE(Py_None));
  }
  return types;
}

bool PlanParser::ParseEntry(PyObject* entry) {
  if (!PyTuple_Check(entry) || PyTuple_Size(entry) != 2 ||
      !PyType_Check(PyTuple_GetItem(entry, 0))) {
    PyErr_Format(PyExc_TypeError, "Walker: expected (type, columns), got %R",
                 entry);
    return false;
  }
  PyObject* type = PyTuple_GetItem(entry, 0);
  plan_->program_of_type.FindOrAdd(type);
  if (plan_->program_of_type.size() == plan_->programs.size()) {
    PyErr_Format(PyExc_ValueError, "Walker: %R is listed twice", type);
    return false;
  }
  const PyRef columns =
      PyRef::Steal(PySequence_Tuple(PyTuple_GetItem(entry, 1)));
  if (!columns) return false;
  claimed_ints_.assign(counts_.num_ints, false);
  claimed_floats_.assign(counts_.num_floats, false);
  claimed_strings_.assign(counts_.num_strings, false);
  Program program;
  program.type = PyRef::Borrow(type);
  for (Py_ssize_t i = 0; i < PyTuple_Size(columns.get()); ++i) {
    if (!ParseColumn(PyTuple_GetItem(columns.get(), i), &program)) return false;
  }
  plan_->num_registers = std::max(plan_->num_registers,
                                  static_cast<int>(program.steps.size()) + 1);
  plan_->programs.push_back(std::move(program));
  return true;
}

bool PlanParser::ParseColumn(PyObject* spec, Program* program) {
  if (!PyTuple_Check(spec) || PyTuple_Size(spec) < 3 ||
      !PyUnicode_Check(PyTuple_GetItem(spec, 0)) ||
      !PyTuple_Check(PyTuple_GetItem(spec, 2))) {
    return Refuse(spec, "expected (kind, index, path, ...)");
  }
  Column column;
  if (!ParseKind(spec, &column) || !ParseTargets(spec, &column) ||
      !ParsePath(spec, program, &column)) {
    return false;
  }
  column.number = static_cast<int>(program->columns.size());
  program->columns.push_back(std::move(column));
  return true;
}

bool PlanParser::ParseKind(PyObject* spec, Column* column) {
  Py_ssize_t length = 0;
  const char* text = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(spec, 0), &length);
  if (text == nullptr) return false;
  std::string_view name(text, length);
  column->is_optional = !name.empty() && name.back() == '?';
  if (column->is_optional) name.remove_suffix(1);
  const KindName* found =
      std::find_if(std::begin(kKindNames), std::end(kKindNames),
                   [name](const KindName& k) { return k.name == name; });
  if (found == std::end(kKindNames)) return Refuse(spec, "no such kind");
  column->kind = found->kind;
  const bool may_be_optional = column->kind != Column::Kind::kHandle &&
                               column->kind != Column::Kind::kItems &&
                               column->kind != Column::Kind::kItemTypes;
  return may_be_optional || !column->is_optional ||
         Refuse(spec, "this kind takes None and missing without a '?'");
}

bool PlanParser::ParseTargets(PyObject* spec, Column* column) {
  if (column->kind == Column::Kind::kTypes ||
      column->kind == Column::Kind::kItemTypes) {
    return ParseClasses(spec, column);
  }
  const bool is_tensor = column->kind == Column::Kind::kTensor;
  const Py_ssize_t size =
      3 + (is_tensor ? 1 : 0) + (column->is_optional ? 1 : 0);
  if (PyTuple_Size(spec) != size)
    return Refuse(spec, "wrong number of indices");
  if (column->is_optional &&
      !(GetIndex(spec, size - 1, counts_.num_ints, &column->status) &&
        SetRole(spec, column->status, Role::kStatus, kStatusMissing))) {
    return false;
  }
  int* const index = &column->index;
  switch (column->kind) {
    case Column::Kind::kHandle:
      return GetIndex(spec, 1, counts_.num_ints, index) &&
             SetRole(spec, *index, Role::kHandle, kMissingHandle);
    case Column::Kind::kItems:
      return GetIndex(spec, 1, counts_.num_ints - 1, index) &&
             SetRole(spec, *index, Role::kStart, 0) &&
             SetRole(spec, *index + 1, Role::kLength, kMissingHandle);
    case Column::Kind::kInt:
    case Column::Kind::kBool:
      return GetIndex(spec, 1, counts_.num_ints, index) &&
             SetRole(spec, *index, Role::kValue, 0);
    case Column::Kind::kFloat:
      return GetIndex(spec, 1, counts_.num_floats, index) &&
             Claim(spec, &claimed_floats_, *index);
    case Column::Kind::kString:
      return GetIndex(spec, 1, counts_.num_strings, index) &&
             Claim(spec, &claimed_strings_, *index);
    case Column::Kind::kTensor:
      return GetIndex(spec, 1, counts_.num_tensors, index) &&
             GetIndex(spec, 3, counts_.num_ints, &column->position) &&
             SetRole(spec, column->position, Role::kPosition, kNoPosition);
    case Column::Kind::kTypes:
    case Column::Kind::kItemTypes:
      break;  // They fill nothing.
  }
  return false;
}

bool PlanParser::ParseClasses(PyObject* spec, Column* column) {
  if (PyTuple_Size(spec) != 4 || !PyTuple_CheckExact(PyTuple_GetItem(spec, 3)))
    return Refuse(spec, "expected (kind, 0, path, classes)");
  PyObject* classes = PyTuple_GetItem(spec, 3);
  for (Py_ssize_t i = 0; i < PyTuple_Size(classes); ++i) {
    PyObject* cls = PyTuple_GetItem(classes, i);
    if (!PyType_Check(cls)) return Refuse(spec, "not a class");
    column->classes.push_back(reinterpret_cast<PyTypeObject*>(cls));
  }
  column->class_tuple = PyRef::Borrow(classes);
  return true;
}

bool PlanParser::ParsePath(PyObject* spec, Program* program, Column* column) {
  PyObject* path = PyTuple_GetItem(spec, 2);
  for (Py_ssize_t i = 0; i < PyTuple_Size(path); ++i) {
    Step step;
    step.source = column->source;
    if (!ParseStep(PyTuple_GetItem(path, i), &step)) return false;
    std::vector<Step>& steps = program->steps;
    const auto same =
        std::find_if(steps.begin(), steps.end(),
                     [&step](const Step& s) { return IsSameStep(s, step); });
    column->source = static_cast<int>(same - steps.begin()) + 1;
    if (same != steps.end()) continue;
    if (step.kind == Step::Kind::kAttr) step.number = plan_->num_attributes++;
    steps.push_back(std::move(step));
  }
  column->end_step = static_cast<int>(program->steps.size());
  column->path = PyRef::Borrow(path);
  return true;
}

bool PlanParser::GetIndex(PyObject* spec, Py_ssize_t place, int limit,
                          int* index) {
  const long value = PyLong_AsLong(PyTuple_GetItem(spec, place));
  if (value == -1 && PyErr_Occurred()) return false;
  if (value < 0 || value >= limit)
    return Refuse(spec, "an index is out of range");
  *index = static_cast<int>(value);
  return true;
}

bool PlanParser::Claim(PyObject* spec, std::vector<char>* claimed, int index) {
  if ((*claimed)[index])
    return Refuse(spec, "another one fills the same cells");
  (*claimed)[index] = true;
  return true;
}

bool PlanParser::SetRole(PyObject* spec, int index, Role role,
                         int32_t default_value) {
  if (roles_[index] != Role::kUnused && roles_[index] != role) {
    return Refuse(spec, "its int column already holds something else");
  }
  roles_[index] = role;
  plan_->layout.default_ints[index] = default_value;
  return Claim(spec, &claimed_ints_, index);
}

}  // namespace

int Plan::Visit(visitproc visit, void* arg) const {
  for (const Program& program : programs) {
    Py_VISIT(program.type.get());
    for (const Step& step : program.steps) {
      Py_VISIT(step.constant.get());
      Py_VISIT(step.fallback.get());
      Py_VISIT(step.arguments.get());
    }
    for (const Column& column : program.columns) {
      Py_VISIT(column.path.get());
      Py_VISIT(column.class_tuple.get());
    }
  }
  return 0;
}

std::unique_ptr<Plan> ParsePlan(PyObject* types, const ColumnCounts& counts) {
  auto plan = std::make_unique<Plan>();
  if (!PlanParser(counts, plan.get()).Parse(types)) return nullptr;
  return plan;
}

}  // namespace recursive_tf
