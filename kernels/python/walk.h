// The walk: visits objects and fills their columns.
#ifndef RECURSIVE_TF_KERNELS_PYTHON_WALK_H_
#define RECURSIVE_TF_KERNELS_PYTHON_WALK_H_

#include <cstddef>
#include <cstdint>

#include "kernels/python/program.h"
#include "kernels/python/py_ref.h"
#include "kernels/python/tables.h"

namespace recursive_tf {

enum class WalkOutcome {
  kDone,
  kError,     // A Python exception is set.
  kSurprise,  // An object is not what the plan says.
};

// Where and how the objects differ from the plan.
struct Surprise {
  const char* reason = "";  // As recursive_tf/_walk.pyi lists them.
  PyRef object;             // Null for a root.
  PyRef path;               // Null for a root.
  int column = -1;          // In the columns of the object's type.
  PyRef value;              // Null if missing.
};

// One walk. The GIL is held all the time, except where Python code that an
// attribute runs gives it up. No recursion: what is met is put on an agenda.
//
// The last met is visited first, and one root is done before the next begins:
// what lies near each other in memory is mostly met together, and reading is
// mostly waiting for memory.
class Walk final {
 public:
  // `tables` is empty; both outlive the walk.
  Walk(const Plan& plan, Tables* tables) : plan_(plan), tables_(*tables) {}
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  // Visits everything reachable from the elements of `roots`.
  WalkOutcome Run(PyObject* roots);

  // What stopped the walk, if its outcome is kSurprise.
  const Surprise& surprise() const { return surprise_; }

 private:
  // An object's row.
  struct Row {
    PyObject* object;
    size_t number;
    size_t first_int;  // In the matrix of ints.
  };

  struct TypeProgram {
    const PyTypeObject* type = nullptr;
    const Program* program = nullptr;
  };

  const Program* FindProgram(PyTypeObject* type);
  bool AddObject(PyObject* value, int32_t* handle);
  void AddRow(int32_t row, const Program& program);
  void FindReaders();
  WalkOutcome VisitAgenda();
  WalkOutcome VisitRow(size_t number);
  WalkOutcome RunStep(const Step& step, getattrofunc read, PyObject** registers,
                      int target);
  WalkOutcome FillAlone(const Column& column, const Step& step,
                        getattrofunc read, const Row& row);
  WalkOutcome Fill(const Column& column, PyObject* value, const Row& row);
  WalkOutcome FillValue(const Column& column, PyObject* value, const Row& row);
  WalkOutcome FillHandle(const Column& column, PyObject* value, const Row& row);
  WalkOutcome FillItems(const Column& column, PyObject* value, const Row& row);
  WalkOutcome FillInt(const Column& column, PyObject* value, const Row& row);
  WalkOutcome FillTensor(const Column& column, PyObject* value, const Row& row);
  WalkOutcome CheckType(const Column& column, PyObject* value);
  WalkOutcome CheckItemTypes(const Column& column, PyObject* value);
  WalkOutcome ReportItem(const char* reason, PyObject* element,
                         Py_ssize_t place, const Column& column);
  WalkOutcome Report(const char* reason, PyObject* value);
  int32_t& IntCell(const Row& row, int index);

  const Plan& plan_;
  Tables& tables_;
  Surprise surprise_;
  size_t num_visited_ = 0;
  size_t num_fresh_ = 0;  // Rows of objects that only the walk holds.
  // The last two types that were met: trees mostly have two kinds of nodes.
  TypeProgram last_;
  TypeProgram last_but_one_;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_PYTHON_WALK_H_
