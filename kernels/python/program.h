// What the walk reads of the objects of one type, and where it goes.
#ifndef RECURSIVE_TF_KERNELS_PYTHON_PROGRAM_H_
#define RECURSIVE_TF_KERNELS_PYTHON_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/python/object_numbers.h"
#include "kernels/python/py_ref.h"
#include "kernels/python/step.h"

namespace recursive_tf {

// One column to fill; recursive_tf/_walk.pyi says what each kind means.
struct Column {
  enum class Kind {
    kHandle,
    kItems,
    kInt,
    kBool,
    kFloat,
    kString,
    kTensor,
    kTypes,
    kItemTypes,
  };

  Kind kind;
  // None and missing are no surprise; of kTypes, missing is none.
  bool is_optional = false;
  int index = 0;     // In the matrix or list of the kind.
  int position = 0;  // kTensor: the int column for the place in that list.
  int status = 0;    // If optional: the int column that tells which it is.
  int end_step = 0;  // Steps of the program to run before this column.
  int source = 0;    // The register of the value.
  int number = 0;    // Among the columns of the type as given.
  PyRef path;        // As given, for reports.
  // kTypes and kItemTypes: the types that are no surprise, and who holds them.
  std::vector<PyTypeObject*> classes;
  PyRef class_tuple;
  // The number of the column that is surprised by a missing value, if this one
  // is not: a kTypes that follows in what was given; or -1.
  int required_by = -1;
  // The one step before it reads an attribute of the object, for it alone.
  bool reads_alone = false;
};

// The columns of one type, in the order given, and their steps. A kTypes that
// follows a column of the same value that takes no others is part of that.
//
// Step i writes register i + 1; register 0 is the object. Columns whose paths
// begin alike share these steps, so each value is read once.
struct Program {
  PyRef type;
  std::vector<Step> steps;
  std::vector<Column> columns;
};

// Sizes and initial values of the rows that all types share.
struct Layout {
  int num_floats = 0;
  int num_strings = 0;
  int num_tensors = 0;
  // One row of ints: what stands where a type does not have the column.
  std::vector<int32_t> default_ints;
};

// What a Walker was made with. Immutable once parsed; needs the GIL to die.
struct Plan {
  Layout layout;
  int num_attributes = 0;  // Attribute steps in all programs.
  int num_registers = 1;   // Of the program with the most steps.
  std::vector<Program> programs;
  ObjectNumbers program_of_type;

  // Reports every reference to Python's garbage collector.
  int Visit(visitproc visit, void* arg) const;
};

// Numbers of columns, as given to the Walker.
struct ColumnCounts {
  int num_ints = 0;
  int num_floats = 0;
  int num_strings = 0;
  int num_tensors = 0;
};

// Checks and compiles the Walker's arguments. Returns null with a ValueError or
// TypeError set if they are wrong.
std::unique_ptr<Plan> ParsePlan(PyObject* types, const ColumnCounts& counts);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_PYTHON_PROGRAM_H_
