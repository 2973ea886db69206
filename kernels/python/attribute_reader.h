// Reads attributes, some of which are often missing.
#ifndef RECURSIVE_TF_KERNELS_PYTHON_ATTRIBUTE_READER_H_
#define RECURSIVE_TF_KERNELS_PYTHON_ATTRIBUTE_READER_H_

#include <cstdint>
#include <vector>

#include "kernels/python/py_ref.h"

namespace recursive_tf {

// Reads attributes for the steps of one plan, numbered from zero.
class AttributeReader final {
 public:
  explicit AttributeReader(int num_steps) : scores_(num_steps, 0) {}

  // Sets `*result` to a new reference to the attribute `name` of `value`, or to
  // null if there is none, for the step numbered `step`. `read` is
  // PyObject_GetAttr, or PyObject_GenericGetAttr where IsGeneric was true of
  // the type. Returns false with a Python exception set if reading failed in
  // another way. May run any code.
  bool Read(int step, getattrofunc read, PyObject* value, PyObject* name,
            PyObject** result) {
    uint8_t* score = &scores_[step];
    if (*score >= kOften) return ReadOften(score, value, name, result);
    *result = read(value, name);
    if (*result == nullptr) {
      return ReadAgain(score, read, value, name, result);
    }
    CountHit(score);
    return true;
  }

  // Tells whether objects of the type have their attributes read as those of
  // `object` are: no class has a say.
  static bool IsGeneric(PyTypeObject* type) {
    return PyType_GetSlot(type, Py_tp_getattro) ==
           reinterpret_cast<void*>(PyObject_GenericGetAttr);
  }

 private:
  // An AttributeError takes some 20 times as long as an attribute that is
  // there. Python's getattr with a default makes none, but takes some 4 times
  // as long. So each step has a score that rises where the attribute is missing
  // and falls where it is not: it stays high from one miss in five reads on.
  bool ReadOften(uint8_t* score, PyObject* value, PyObject* name,
                 PyObject** result);
  // Goes on where `read` has raised. The type may be another by now.
  static bool ReadAgain(uint8_t* score, getattrofunc read, PyObject* value,
                        PyObject* name, PyObject** result);
  bool MakeDefault();

  static void CountMiss(uint8_t* score) {
    if (*score < kMaxScore) *score += kMissGain;
  }

  static void CountHit(uint8_t* score) {
    if (*score > 0) --*score;
  }

  static constexpr uint8_t kMissGain = 4;
  static constexpr uint8_t kOften = 8;
  static constexpr uint8_t kMaxScore = 64;

  std::vector<uint8_t> scores_;
  PyRef getattr_;  // Null until it is needed, as the default.
  PyRef default_;  // No attribute has this value.
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_PYTHON_ATTRIBUTE_READER_H_
