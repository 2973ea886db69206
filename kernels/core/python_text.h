// Python's strings: what they are of floats, and in which order they are.
#ifndef RECURSIVE_TF_KERNELS_CORE_PYTHON_TEXT_H_
#define RECURSIVE_TF_KERNELS_CORE_PYTHON_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace recursive_tf {

// Returns repr(x), which is also str(x): the shortest decimal that is no other
// double.
std::string FloatText(double x);

// How a float is written with a number of digits.
enum class FloatStyle { kFixed, kExponent, kGeneral };

// Returns format(x, ".<digits>f"), or "e" or "g" in its place; digits from 0 to
// 100.
std::string FormattedText(double x, FloatStyle style, int digits);

// Returns for each string how many different ones of all are before it in
// Python's order, by code points. The strings are UTF-8.
std::vector<int32_t> TextRanks(const std::vector<std::string_view>& texts);

}  // namespace recursive_tf

#endif  // RECURSIVE_TF_KERNELS_CORE_PYTHON_TEXT_H_
