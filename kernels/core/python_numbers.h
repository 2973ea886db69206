// Python's arithmetic on int, float and bool, as far as an int64_t or a double
// can hold the numbers: bit for bit what CPython computes, or a reason why not.
#ifndef RECURSIVE_TF_KERNELS_CORE_PYTHON_NUMBERS_H_
#define RECURSIVE_TF_KERNELS_CORE_PYTHON_NUMBERS_H_

#include <cstdint>
#include <string_view>

namespace recursive_tf {

// A function sets *z and returns null, or returns why it cannot: Python raises
// an exception there, or its result is of another type or too large.
template <typename X, typename Z>
using PythonUnary = const char* (*)(X, Z*);
template <typename X, typename Z>
using PythonBinary = const char* (*)(X, X, Z*);

// Find functions by name; null if there is none. The names are those of
// Python's syntax trees where it has an operator.

// Add, Sub, Mult, FloorDiv, Mod, Pow, LShift, RShift, BitAnd, BitOr, BitXor,
// Min, Max.
PythonBinary<int64_t, int64_t> FindIntBinary(std::string_view name);
// Div.
PythonBinary<int64_t, double> FindIntToFloatBinary(std::string_view name);
// Add, Sub, Mult, Div, FloorDiv, Mod, Pow, Min, Max; atan2, copysign and hypot
// of Python's `math`; RoundTo, which is round(x, digits), digits from 0 to 323.
PythonBinary<double, double> FindFloatBinary(std::string_view name);
// Neg, Abs, Cast (which changes nothing).
PythonUnary<int64_t, int64_t> FindIntUnary(std::string_view name);
// Neg, Abs, Cast, and functions of Python's `math`: acos, acosh, asin, asinh,
// atan, atanh, cos, cosh, exp, expm1, log, log10, log1p, log2, sin, sinh, sqrt,
// tan, tanh.
PythonUnary<double, double> FindFloatUnary(std::string_view name);
// Trunc, Floor, Ceil, Round (half to even).
PythonUnary<double, int64_t> FindFloatToIntUnary(std::string_view name);

// Sets *result to x * y % z, whatever x * y is; as the functions above.
const char* MultiplyMod(int64_t x, int64_t y, int64_t z, int64_t* result);

// How one number compares with another, as one bit.
enum PythonOrder : int {
  kLess = 1,
  kEqual = 2,
  kGreater = 4,
  kUnordered = 8,
};

// Eq, NotEq, Lt, LtE, Gt, GtE: returns all orders of which the comparison is
// true, 0 if there is no such comparison.
int FindComparison(std::string_view name);

// Exact, also where no double equals an int.
PythonOrder CompareInts(int64_t x, int64_t y);
PythonOrder CompareFloats(double x, double y);
PythonOrder CompareIntWithFloat(int64_t x, double y);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_PYTHON_NUMBERS_H_
