#include "kernels/python/attribute_reader.h"

namespace recursive_tf {
namespace {

constexpr uint8_t kMissGain = 4;
constexpr uint8_t kOften = 8;
constexpr uint8_t kMaxScore = 64;

void CountMiss(uint8_t* score) {
  if (*score < kMaxScore) *score += kMissGain;
}

void CountHit(uint8_t* score) {
  if (*score > 0) --*score;
}

}  // namespace

bool AttributeReader::Read(int step, PyObject* value, PyObject* name,
                           PyObject** result) {
  uint8_t* score = &scores_[step];
  return *score < kOften ? ReadRarely(score, value, name, result)
                         : ReadOften(score, value, name, result);
}

bool AttributeReader::ReadRarely(uint8_t* score, PyObject* value,
                                 PyObject* name, PyObject** result) {
  *result = PyObject_GetAttr(value, name);
  if (*result != nullptr) {
    CountHit(score);
    return true;
  }
  CountMiss(score);
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return false;
  PyErr_Clear();
  return true;
}

bool AttributeReader::ReadOften(uint8_t* score, PyObject* value, PyObject* name,
                                PyObject** result) {
  *result = nullptr;
  if (!default_ && !MakeDefault()) return false;
  const PyRef arguments =
      PyRef::Steal(PyTuple_Pack(3, value, name, default_.get()));
  if (!arguments) return false;
  PyRef found =
      PyRef::Steal(PyObject_Call(getattr_.get(), arguments.get(), nullptr));
  if (!found) return false;
  if (found.get() == default_.get()) {
    CountMiss(score);
  } else {
    CountHit(score);
    *result = found.release();
  }
  return true;
}

bool AttributeReader::MakeDefault() {
  const PyRef builtins = PyRef::Steal(PyImport_ImportModule("builtins"));
  if (!builtins) return false;
  getattr_ = PyRef::Steal(PyObject_GetAttrString(builtins.get(), "getattr"));
  if (!getattr_) return false;
  default_ = PyRef::Steal(PyList_New(0));
  return static_cast<bool>(default_);
}

}  // namespace recursive_tf
