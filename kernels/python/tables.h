// What one walk collects.
#ifndef RECURSIVE_TF_KERNELS_PYTHON_TABLES_H_
#define RECURSIVE_TF_KERNELS_PYTHON_TABLES_H_

#include <cstdint>
#include <vector>

#include "kernels/python/attribute_reader.h"
#include "kernels/python/number_array.h"
#include "kernels/python/object_numbers.h"
#include "kernels/python/program.h"
#include "kernels/python/py_ref.h"

namespace recursive_tf {

// Different objects in the order they came, each held alive.
class DistinctObjects final {
 public:
  size_t size() const { return numbers_.size(); }
  PyObject* operator[](size_t number) const {
    return numbers_.objects()[number];
  }

  // Returns the number of `object`, which is the next one if it had none.
  int32_t FindOrAdd(PyObject* object) {
    const size_t next = size();
    const int32_t number = numbers_.FindOrAdd(object);
    if (size() > next) Py_INCREF(object);
    return number;
  }

  // See ObjectNumbers.
  void Warm() const { numbers_.Warm(); }

  // Gives the objects to a list, which is null if there is no memory for it.
  // Nothing but Clear may follow.
  PyRef Take();

  // Forgets all objects. May run any Python code.
  void Clear();

 private:
  ObjectNumbers numbers_;
  bool is_owner_ = true;
};

// Rows and columns of one walk. Emptied and used again by later walks, one at a
// time: a walk that runs while another does has tables of its own.
struct Tables {
  explicit Tables(const Plan& plan)
      : attributes(plan.num_attributes), tensors(plan.layout.num_tensors) {}
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;
  ~Tables() { Clear(); }

  // Gives up all references and forgets all rows. Needs the GIL, and may run
  // any Python code.
  void Clear();

  AttributeReader attributes;         // Learns from walk to walk.
  std::vector<getattrofunc> readers;  // Of attributes, by program.
  DistinctObjects rows;               // A row for each.
  std::vector<int32_t> agenda;        // Rows to visit, the next one last.
  NumberArray<int32_t> roots;         // Handles.
  NumberArray<int32_t> items;         // Handles.
  NumberArray<int32_t> ints;          // [rows, int columns].
  NumberArray<double> floats;         // [rows, float columns].
  std::vector<PyObject*> strings;     // [rows, string columns]: owned, null.
  std::vector<DistinctObjects> tensors;
  // Of the row in work: the first is its object, the others are owned or null.
  std::vector<PyObject*> registers;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_PYTHON_TABLES_H_
