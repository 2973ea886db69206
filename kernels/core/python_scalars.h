// Python's operators on scalars of which only the run knows whether they are
// bools, ints, floats or strings.
#ifndef RECURSIVE_TF_KERNELS_CORE_PYTHON_SCALARS_H_
#define RECURSIVE_TF_KERNELS_CORE_PYTHON_SCALARS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace recursive_tf {

// The kinds by number, as tensors have them.
enum class ScalarKind : int32_t { kBool = 0, kInt = 1, kFloat = 2, kStr = 3 };

struct PythonScalar {
  ScalarKind kind = ScalarKind::kBool;
  // A bool or an int as it is, a float by its bits; nothing of a string.
  int64_t bits = 0;
  std::string_view text = {};  // Of a string.
};

struct PythonScalarResult {
  ScalarKind kind = ScalarKind::kBool;
  int64_t bits = 0;
  std::string text = {};
};

double FloatOfBits(int64_t bits);
int64_t BitsOfFloat(double value);

// An operator of two scalars, found once and used often. Thread-safe.
class ScalarBinary {
 public:
  virtual ~ScalarBinary() = default;

  // Sets *z and returns null, or returns why it cannot: Python raises an
  // exception there, or its result is too large, or complex.
  virtual const char* operator()(const PythonScalar& x, const PythonScalar& y,
                                 PythonScalarResult* z) const = 0;
};

// By its name in Python's syntax trees: Add, Sub, Mult, Div, FloorDiv, Mod,
// Pow, LShift, RShift, BitAnd, BitOr, BitXor; Eq, NotEq, Lt, LtE, Gt, GtE; Min
// and Max of the two. Null if there is no such operator.
std::unique_ptr<const ScalarBinary> FindScalarBinary(std::string_view name);

// As ScalarBinary, of one.
using ScalarUnary = const char* (*)(const PythonScalar& x,
                                    PythonScalarResult* z);

// USub, UAdd, Invert, Abs; Truth, which is bool(x); Trunc, which is int(x),
// Cast, which is float(x), and Round of a number. Null if there is no such
// operator.
ScalarUnary FindScalarUnary(std::string_view name);

// Sets *ranks to how many different ones of all are before each in the order of
// `sorted`, and returns null; or returns why they have no order: there are
// strings among numbers, or a NaN.
const char* ScalarRanks(const std::vector<PythonScalar>& scalars,
                        std::vector<int32_t>* ranks);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_PYTHON_SCALARS_H_
