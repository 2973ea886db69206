// One step of a path: what the program does with a value to get another.
#ifndef RECURSIVE_TF_KERNELS_PYTHON_STEP_H_
#define RECURSIVE_TF_KERNELS_PYTHON_STEP_H_

#include <vector>

#include "kernels/python/py_ref.h"

namespace recursive_tf {

// How the evaluation of a step ended.
enum class StepOutcome {
  kOk,
  kError,        // A Python exception is set.
  kUnsupported,  // Only code that the walk may not run knows the value.
};

// A step with its constants. recursive_tf/_walk.pyi says what each kind does.
struct Step {
  enum class Kind {
    kAttr,
    kItem,
    kLen,
    kIsInstance,
    kTruth,
    kEq,
    kLookup,
    kIn,
    kCall,
    kInt,
    kFloat,
    kKeys,
    kValues,
    kMethod,
    kId,
    kChildren,
  };

  Kind kind;
  // Attribute, key, class tuple, constant, dict, container, method name or,
  // for kChildren, the class of nodes.
  PyRef constant;
  PyRef fallback;   // kLookup: the default, if there is one.
  PyRef arguments;  // kCall: a tuple.
  // kMethod: `constant` is the name, `fallback` what the class has for it.
  bool is_index = false;               // kItem: whether the key is an integer,
  Py_ssize_t index = 0;                // and which.
  std::vector<PyTypeObject*> classes;  // kIsInstance: of `constant`.

  int number = 0;  // kAttr: among the attribute steps of the plan.
  // The register that the step reads; see Program.
  int source = 0;
};

// Makes `*step` of a tuple such as ("attr", "left"). Returns false with a
// ValueError or TypeError set if it is none.
bool ParseStep(PyObject* spec, Step* step);

// Tells whether both steps give the same for any value.
bool IsSameStep(const Step& a, const Step& b);

// Applies `step` to `value`, null if missing. Sets `*result` to a new
// reference, or to null if missing, when the outcome is kOk. May run any
// Python code where a key of the user's does. Attributes are read by the walk.
StepOutcome Evaluate(const Step& step, PyObject* value, PyObject** result);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_PYTHON_STEP_H_
