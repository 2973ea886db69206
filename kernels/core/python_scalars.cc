#include "kernels/core/python_scalars.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "kernels/core/python_numbers.h"

namespace recursive_tf {
namespace {

constexpr char kNoOperands[] = "operands of kinds that it does not take";
constexpr char kTooLong[] = "a string that is too long";
constexpr size_t kMostBytes = size_t{1} << 28;

bool IsNumber(const PythonScalar& x) { return x.kind != ScalarKind::kStr; }

// Of a number, as Python makes a float of it.
double AsFloat(const PythonScalar& x) {
  return x.kind == ScalarKind::kFloat ? FloatOfBits(x.bits)
                                      : static_cast<double>(x.bits);
}

const char* SetInt(int64_t value, PythonScalarResult* z) {
  z->kind = ScalarKind::kInt;
  z->bits = value;
  return nullptr;
}

const char* SetFloat(double value, PythonScalarResult* z) {
  z->kind = ScalarKind::kFloat;
  z->bits = BitsOfFloat(value);
  return nullptr;
}

const char* SetBool(bool value, PythonScalarResult* z) {
  z->kind = ScalarKind::kBool;
  z->bits = value ? 1 : 0;
  return nullptr;
}

PythonOrder Reversed(PythonOrder order) {
  return order == kLess ? kGreater : order == kGreater ? kLess : order;
}

PythonOrder CompareNumbers(const PythonScalar& x, const PythonScalar& y) {
  const bool is_float = x.kind == ScalarKind::kFloat;
  if (y.kind == ScalarKind::kFloat) {
    return is_float ? CompareFloats(AsFloat(x), AsFloat(y))
                    : CompareIntWithFloat(x.bits, AsFloat(y));
  }
  return is_float ? Reversed(CompareIntWithFloat(y.bits, AsFloat(x)))
                  : CompareInts(x.bits, y.bits);
}

// By code points, which is by bytes of UTF-8.
PythonOrder CompareTexts(std::string_view x, std::string_view y) {
  const int order = x.compare(y);
  return order < 0 ? kLess : order > 0 ? kGreater : kEqual;
}

// Sets *order; false if the two have none.
bool FindOrder(const PythonScalar& x, const PythonScalar& y,
               PythonOrder* order) {
  if (IsNumber(x) != IsNumber(y)) return false;
  *order = IsNumber(x) ? CompareNumbers(x, y) : CompareTexts(x.text, y.text);
  return true;
}

class Comparison final : public ScalarBinary {
 public:
  explicit Comparison(int orders) : orders_(orders) {}

  const char* operator()(const PythonScalar& x, const PythonScalar& y,
                         PythonScalarResult* z) const override {
    PythonOrder order = kUnordered;
    if (!FindOrder(x, y, &order)) {
      // A number and a string are not equal, and have no order.
      const bool is_equality =
          orders_ == kEqual || orders_ == (kLess | kGreater | kUnordered);
      if (!is_equality) return kNoOperands;
    }
    return SetBool((order & orders_) != 0, z);
  }

 private:
  const int orders_;  // Of which the comparison is true.
};

// Of equals, and of what compares with nothing, the first.
class Extreme final : public ScalarBinary {
 public:
  explicit Extreme(PythonOrder better) : better_(better) {}

  const char* operator()(const PythonScalar& x, const PythonScalar& y,
                         PythonScalarResult* z) const override {
    PythonOrder order = kUnordered;
    if (!FindOrder(y, x, &order)) return kNoOperands;
    const PythonScalar& best = order == better_ ? y : x;
    z->kind = best.kind;
    z->bits = best.bits;
    if (!IsNumber(best)) z->text = best.text;
    return nullptr;
  }

 private:
  const PythonOrder better_;  // How the second compares if it is taken.
};

class Arithmetic final : public ScalarBinary {
 public:
  explicit Arithmetic(std::string_view name)
      : is_bitwise_(name == "BitAnd" || name == "BitOr" || name == "BitXor"),
        is_power_(name == "Pow"),
        is_sum_(name == "Add"),
        is_product_(name == "Mult"),
        ints_(FindIntBinary(name)),
        int_to_float_(FindIntToFloatBinary(name)),
        floats_(FindFloatBinary(name)) {}

  bool is_known() const { return ints_ || int_to_float_; }

  const char* operator()(const PythonScalar& x, const PythonScalar& y,
                         PythonScalarResult* z) const override {
    if (!IsNumber(x) || !IsNumber(y)) return OfTexts(x, y, z);
    if (x.kind == ScalarKind::kFloat || y.kind == ScalarKind::kFloat) {
      return OfFloats(AsFloat(x), AsFloat(y), z);
    }
    if (is_power_ && y.bits < 0) return OfFloats(AsFloat(x), AsFloat(y), z);
    if (int_to_float_) {
      double found = 0;
      const char* reason = int_to_float_(x.bits, y.bits, &found);
      return reason ? reason : SetFloat(found, z);
    }
    int64_t found = 0;
    const char* reason = ints_(x.bits, y.bits, &found);
    if (reason) return reason;
    const bool are_bools =
        x.kind == ScalarKind::kBool && y.kind == ScalarKind::kBool;
    return is_bitwise_ && are_bools ? SetBool(found != 0, z) : SetInt(found, z);
  }

 private:
  const char* OfFloats(double x, double y, PythonScalarResult* z) const {
    if (!floats_) return kNoOperands;
    double found = 0;
    const char* reason = floats_(x, y, &found);
    return reason ? reason : SetFloat(found, z);
  }

  const char* OfTexts(const PythonScalar& x, const PythonScalar& y,
                      PythonScalarResult* z) const {
    z->kind = ScalarKind::kStr;
    if (is_sum_ && !IsNumber(x) && !IsNumber(y)) {
      z->text = std::string(x.text).append(y.text);
      return nullptr;
    }
    const PythonScalar& text = IsNumber(x) ? y : x;
    const PythonScalar& count = IsNumber(x) ? x : y;
    const bool is_count = IsNumber(count) && count.kind != ScalarKind::kFloat;
    if (!is_product_ || !is_count) return kNoOperands;
    if (count.bits <= 0 || text.text.empty()) return nullptr;
    const size_t num = static_cast<size_t>(count.bits);
    if (num > kMostBytes / text.text.size()) return kTooLong;
    z->text.reserve(num * text.text.size());
    for (size_t i = 0; i < num; ++i) z->text.append(text.text);
    return nullptr;
  }

  const bool is_bitwise_, is_power_, is_sum_, is_product_;
  const PythonBinary<int64_t, int64_t> ints_;
  const PythonBinary<int64_t, double> int_to_float_;
  const PythonBinary<double, double> floats_;
};

// --- Of one

const char* Negative(const PythonScalar& x, PythonScalarResult* z) {
  if (!IsNumber(x)) return kNoOperands;
  if (x.kind == ScalarKind::kFloat) return SetFloat(-AsFloat(x), z);
  int64_t found = 0;
  const char* reason = FindIntUnary("Neg")(x.bits, &found);
  return reason ? reason : SetInt(found, z);
}

const char* Positive(const PythonScalar& x, PythonScalarResult* z) {
  if (!IsNumber(x)) return kNoOperands;
  return x.kind == ScalarKind::kFloat ? SetFloat(AsFloat(x), z)
                                      : SetInt(x.bits, z);
}

const char* Inverted(const PythonScalar& x, PythonScalarResult* z) {
  // Python warns of ~True.
  return x.kind == ScalarKind::kInt ? SetInt(~x.bits, z) : kNoOperands;
}

const char* Absolute(const PythonScalar& x, PythonScalarResult* z) {
  if (!IsNumber(x)) return kNoOperands;
  if (x.kind == ScalarKind::kFloat) {
    double found = 0;
    FindFloatUnary("Abs")(AsFloat(x), &found);
    return SetFloat(found, z);
  }
  int64_t found = 0;
  const char* reason = FindIntUnary("Abs")(x.bits, &found);
  return reason ? reason : SetInt(found, z);
}

const char* Truth(const PythonScalar& x, PythonScalarResult* z) {
  if (!IsNumber(x)) return SetBool(!x.text.empty(), z);
  return SetBool(AsFloat(x) != 0, z);
}

const char* Whole(const PythonScalar& x, std::string_view name,
                  PythonScalarResult* z) {
  if (!IsNumber(x)) return kNoOperands;
  if (x.kind != ScalarKind::kFloat) return SetInt(x.bits, z);
  int64_t found = 0;
  const char* reason = FindFloatToIntUnary(name)(AsFloat(x), &found);
  return reason ? reason : SetInt(found, z);
}

const char* Truncated(const PythonScalar& x, PythonScalarResult* z) {
  return Whole(x, "Trunc", z);
}

const char* Rounded(const PythonScalar& x, PythonScalarResult* z) {
  return Whole(x, "Round", z);
}

const char* Floated(const PythonScalar& x, PythonScalarResult* z) {
  return IsNumber(x) ? SetFloat(AsFloat(x), z) : kNoOperands;
}

}  // namespace

double FloatOfBits(int64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

int64_t BitsOfFloat(double value) {
  int64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

std::unique_ptr<const ScalarBinary> FindScalarBinary(std::string_view name) {
  if (name == "Min") return std::make_unique<Extreme>(kLess);
  if (name == "Max") return std::make_unique<Extreme>(kGreater);
  if (const int orders = FindComparison(name)) {
    return std::make_unique<Comparison>(orders);
  }
  auto found = std::make_unique<Arithmetic>(name);
  if (!found->is_known()) return nullptr;
  return found;
}

ScalarUnary FindScalarUnary(std::string_view name) {
  struct Named {
    std::string_view name;
    ScalarUnary function;
  };
  static constexpr Named kTable[] = {
      {"USub", Negative}, {"UAdd", Positive}, {"Invert", Inverted},
      {"Abs", Absolute},  {"Truth", Truth},   {"Trunc", Truncated},
      {"Cast", Floated},  {"Round", Rounded},
  };
  for (const auto& entry : kTable) {
    if (entry.name == name) return entry.function;
  }
  return nullptr;
}

const char* ScalarRanks(const std::vector<PythonScalar>& scalars,
                        std::vector<int32_t>* ranks) {
  for (const PythonScalar& x : scalars) {
    if (IsNumber(x) != IsNumber(scalars[0])) return kNoOperands;
    if (IsNumber(x) && std::isnan(AsFloat(x))) return "sorted() of NaN";
  }
  const auto compare = [&scalars](int32_t i, int32_t j) {
    PythonOrder order = kUnordered;
    FindOrder(scalars[i], scalars[j], &order);
    return order;
  };
  std::vector<int32_t> places(scalars.size());
  std::iota(places.begin(), places.end(), 0);
  std::sort(places.begin(), places.end(),
            [&](int32_t i, int32_t j) { return compare(i, j) == kLess; });
  ranks->assign(scalars.size(), 0);
  for (size_t i = 1; i < places.size(); ++i) {
    const bool is_next = compare(places[i - 1], places[i]) != kEqual;
    (*ranks)[places[i]] = (*ranks)[places[i - 1]] + (is_next ? 1 : 0);
  }
  return nullptr;
}

}  // namespace recursive_tf
