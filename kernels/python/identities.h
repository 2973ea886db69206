// Whether containers and objects hold the very objects that they held.
#ifndef RECURSIVE_TF_KERNELS_PYTHON_IDENTITIES_H_
#define RECURSIVE_TF_KERNELS_PYTHON_IDENTITIES_H_

#include <memory>
#include <vector>

#include "kernels/python/py_ref.h"

namespace recursive_tf {

// What was found at a number of places, to compare by identity with what is
// there later. recursive_tf/_walk.pyi says which places there are. All of it
// needs the GIL.
class Identities final {
 public:
  static constexpr Py_ssize_t kNone = -1;
  static constexpr Py_ssize_t kError = -2;

  // Null with a Python exception set if `entries` describes no places.
  static std::unique_ptr<Identities> Parse(PyObject* entries);

  // Returns the first place from `start` on that is not what it was; kNone if
  // there is none; kError with a Python exception set. Only `attribute` runs
  // code of what is compared.
  Py_ssize_t FirstOther(Py_ssize_t start);

  int Visit(visitproc visit, void* arg) const;

 private:
  enum class Kind { kElements, kItems, kAttributes, kNames, kAttribute, kType };
  enum class Answer { kSame, kOther, kError };

  // An item of a dict as it was passed last.
  struct Passed {
    PyRef key;
    PyObject* value;  // One of `objects_`; null if any will do.
  };

  struct Place {
    Kind kind;
    bool has_plain_dict = false;  // Its `__dict__` is where attributes are.
    PyRef owner;
    PyRef type;            // Of the owner, where that matters.
    Py_ssize_t size = -1;  // Of the dict; negative if that may change.
    size_t begin = 0;      // In `objects_`: names, then values.
    Py_ssize_t num_names = 0;
    Py_ssize_t num_values = 0;   // Of the first names; others are not there.
    std::vector<Passed> passed;  // All items of a dict that was the same.
  };

  Identities() = default;

  bool Add(PyObject* entry);
  bool AddObjects(PyObject* objects);
  Answer Compare(Place* place);
  Answer CompareElements(const Place& place) const;
  Answer CompareItems(const Place& place) const;
  Answer CompareAttributes(Place* place) const;
  Answer CompareNames(PyObject* dict, Place* place) const;
  bool IsAsPassed(PyObject* dict, const Place& place) const;
  void NotePassed(PyObject* dict, Place* place) const;

  std::vector<Place> places_;
  std::vector<PyRef> objects_;
};

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_PYTHON_IDENTITIES_H_
