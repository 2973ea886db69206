// What one walk collects.
#ifndef RECURSIVE_TF_KERNELS_PYTHON_TABLES_H_
#define RECURSIVE_TF_KERNELS_PYTHON_TABLES_H_

#include <cstdint>
#include <vector>

#include "kernels/python/attribute_reader.h"
#include "kernels/python/pointer_map.h"
#include "kernels/python/program.h"
#include "kernels/python/py_ref.h"

namespace recursive_tf {

// Different objects in the order they came, each held alive.
struct DistinctObjects {
  PointerMap place_of;
  std::vector<PyObject*> objects;  // Owned.
};

// Rows and columns of one walk. Emptied and used again by later walks, one at a
// time: a walk that runs while another does has tables of its own.
struct Tables {
  struct Row {
    PyObject* object;  // Owned.
    const Program* program;
  };

  explicit Tables(const Plan& plan)
      : attributes(plan.num_attributes), tensors(plan.layout.num_tensors) {}
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;
  ~Tables() { Clear(); }

  // Gives up all references and forgets all rows. Needs the GIL, and may run
  // any Python code.
  void Clear();

  AttributeReader attributes;  // Learns from walk to walk.
  PointerMap row_of;
  std::vector<Row> rows;
  std::vector<int32_t> agenda;     // Rows to visit, the next one last.
  std::vector<int32_t> roots;      // Handles.
  std::vector<int32_t> items;      // Handles.
  std::vector<int32_t> ints;       // [rows, int columns].
  std::vector<double> floats;      // [rows, float columns].
  std::vector<PyObject*> strings;  // [rows, string columns]: owned, null.
  std::vector<DistinctObjects> tensors;
  std::vector<PyObject*> registers;  // Of the row in work: owned, null.
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_PYTHON_TABLES_H_
