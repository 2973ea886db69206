#include "kernels/core/python_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

namespace recursive_tf {
namespace {

// From this exponent of ten on, and below the other, Python writes an exponent.
constexpr int kMaxFixed = 16;
constexpr int kMinFixed = -4;

std::string NotFinite(double x) {
  if (std::isnan(x)) return "nan";
  return x > 0 ? "inf" : "-inf";
}

// Parts of a float's shortest decimal, 0.digits times ten to the point.
struct Decimal {
  std::string sign;
  std::string digits;
  int point;
};

Decimal Shortest(double x) {
  std::array<char, 32> text;
  const char* end = std::to_chars(text.begin(), text.end(), std::fabs(x),
                                  std::chars_format::scientific)
                        .ptr;
  const std::string_view all(text.data(), end - text.data());
  const size_t e = all.find('e');
  Decimal found;
  found.sign = std::signbit(x) ? "-" : "";
  found.digits = all.substr(0, 1);
  if (e > 2) found.digits += all.substr(2, e - 2);
  int exponent = 0;
  const bool is_positive = all[e + 1] == '+';
  std::from_chars(all.data() + e + 1 + (is_positive ? 1 : 0),
                  all.data() + all.size(), exponent);
  found.point = exponent + 1;
  return found;
}

}  // namespace

std::string FloatText(double x) {
  if (!std::isfinite(x)) return NotFinite(x);
  if (x == 0) return std::signbit(x) ? "-0.0" : "0.0";
  auto [text, digits, point] = Shortest(x);
  const int count = static_cast<int>(digits.size());
  if (point > kMaxFixed || point <= kMinFixed) {
    text += digits.substr(0, 1);
    if (count > 1) text += "." + digits.substr(1);
    const int exponent = point - 1;
    text += exponent < 0 ? "e-" : "e+";
    if (std::abs(exponent) < 10) text += "0";
    return text + std::to_string(std::abs(exponent));
  }
  if (point <= 0) return text + "0." + std::string(-point, '0') + digits;
  if (point >= count) {
    return text + digits + std::string(point - count, '0') + ".0";
  }
  return text + digits.substr(0, point) + "." + digits.substr(point);
}

std::string FormattedText(double x, FloatStyle style, int digits) {
  if (!std::isfinite(x)) return NotFinite(x);
  const std::chars_format format =
      style == FloatStyle::kFixed      ? std::chars_format::fixed
      : style == FloatStyle::kExponent ? std::chars_format::scientific
                                       : std::chars_format::general;
  std::array<char, 512> text;  // 309 digits, a sign, a point, 100 digits.
  const char* end =
      std::to_chars(text.begin(), text.end(), x, format, digits).ptr;
  return std::string(text.data(), end - text.data());
}

std::vector<int32_t> TextRanks(const std::vector<std::string_view>& texts) {
  std::vector<int32_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int32_t a, int32_t b) { return texts[a] < texts[b]; });
  std::vector<int32_t> ranks(texts.size());
  int32_t rank = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && texts[order[i - 1]] != texts[order[i]]) ++rank;
    ranks[order[i]] = rank;
  }
  return ranks;
}

}  // namespace recursive_tf
