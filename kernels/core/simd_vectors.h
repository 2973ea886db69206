// Vectors of floats and doubles as wide as a register, and the functions of
// them that gates need. Included once per SimdTarget, inside its namespace, by
// for_each_simd_target.h: no include guard, and no includes.
//
// Arithmetic is the compiler's own on its vector types (`a * b + c` becomes a
// fused multiply-add where there is one). NaN stays NaN everywhere.

#undef RTF_INLINE
#undef RTF_INLINE_LAMBDA
#define RTF_INLINE inline __attribute__((always_inline))
#define RTF_INLINE_LAMBDA __attribute__((always_inline))

// Keeps a vector that is used many times in a register: gcc would rather load
// it again for each use.
#undef RTF_IN_REGISTER
#if RECURSIVE_TF_SIMD_X86
#define RTF_IN_REGISTER(vector) __asm__("" : "+v"(vector))
#else
#define RTF_IN_REGISTER(vector) (void)(vector)
#endif

typedef float FloatVector __attribute__((vector_size(RECURSIVE_TF_SIMD_BYTES)));
typedef double DoubleVector
    __attribute__((vector_size(RECURSIVE_TF_SIMD_BYTES)));
typedef int32_t Int32Vector
    __attribute__((vector_size(RECURSIVE_TF_SIMD_BYTES)));
typedef int64_t Int64Vector
    __attribute__((vector_size(RECURSIVE_TF_SIMD_BYTES)));

// What differs between the element types.
template <typename T>
struct Of;

template <>
struct Of<float> {
  using Vector = FloatVector;
  using IntVector = Int32Vector;
  static constexpr int64_t kLanes = sizeof(Vector) / sizeof(float);

  static constexpr int kMantissaBits = 23;
  static constexpr int32_t kOne = 0x3f800000;
  // 1.5 * 2^23: adding it rounds to an integer, found in the lowest bits.
  static constexpr float kRounder = 12582912.0f;
  // ln 2 in two parts, n times the first being exact.
  static constexpr float kLn2High = 0.693359375f;
  static constexpr float kLn2Low = -2.12194440e-4f;
  // exp(-kMaxExponent) and its reciprocal are normal numbers.
  static constexpr float kMaxExponent = 87.0f;
  // Where tanh has become 1.
  static constexpr float kTanhIsOne = 10.0f;
  // Minimax for (e^r - 1 - r) / r^2 on |r| <= ln(2)/2, highest power first;
  // error relative to e^r - 1: 2e-8.
  static constexpr float kExp[] = {0.0013882516650483012f,
                                   0.008366547524929047f, 0.04166720062494278f,
                                   0.1666654348373413f, 0.4999999701976776f};
};

template <>
struct Of<double> {
  using Vector = DoubleVector;
  using IntVector = Int64Vector;
  static constexpr int64_t kLanes = sizeof(Vector) / sizeof(double);

  static constexpr int kMantissaBits = 52;
  static constexpr int64_t kOne = 0x3ff0000000000000;
  static constexpr double kRounder = 6755399441055744.0;  // 1.5 * 2^52.
  static constexpr double kLn2High = 6.93147180369123816490e-01;
  static constexpr double kLn2Low = 1.90821492927058770002e-10;
  static constexpr double kMaxExponent = 708.0;
  static constexpr double kTanhIsOne = 20.0;
  // As above; error 3e-17.
  static constexpr double kExp[] = {
      2.5049594138683856e-08, 2.762398206560944e-07,  2.755741692839783e-06,
      2.480151132619608e-05,  0.00019841269713807388, 0.001388888892542242,
      0.008333333333388876,   0.04166666666660133,    0.16666666666666596,
      0.5000000000000002};
};

#if RECURSIVE_TF_SIMD_BYTES == 64

// The second argument where one is NaN; so do all of these. With a mask,
// because gcc 12 warns of the plain ones; the mask costs nothing.
RTF_INLINE FloatVector Max(FloatVector low, FloatVector x) {
  return _mm512_maskz_max_ps(-1, low, x);
}
RTF_INLINE FloatVector Min(FloatVector high, FloatVector x) {
  return _mm512_maskz_min_ps(-1, high, x);
}
RTF_INLINE DoubleVector Max(DoubleVector low, DoubleVector x) {
  return _mm512_maskz_max_pd(-1, low, x);
}
RTF_INLINE DoubleVector Min(DoubleVector high, DoubleVector x) {
  return _mm512_maskz_min_pd(-1, high, x);
}

// Reads and writes the first lanes of a vector, at least one.
class FirstLanes {
 public:
  RTF_INLINE explicit FirstLanes(int64_t count)
      : mask_((uint32_t{1} << count) - 1) {}
  RTF_INLINE FloatVector Load(const float* from) const {
    return _mm512_maskz_loadu_ps(mask_, from);
  }
  RTF_INLINE DoubleVector Load(const double* from) const {
    return _mm512_maskz_loadu_pd(mask_, from);
  }
  RTF_INLINE void Store(float* to, FloatVector x) const {
    _mm512_mask_storeu_ps(to, mask_, x);
  }
  RTF_INLINE void Store(double* to, DoubleVector x) const {
    _mm512_mask_storeu_pd(to, mask_, x);
  }

 private:
  const uint16_t mask_;
};

#elif RECURSIVE_TF_SIMD_BYTES == 32

RTF_INLINE FloatVector Max(FloatVector low, FloatVector x) {
  return _mm256_max_ps(low, x);
}
RTF_INLINE FloatVector Min(FloatVector high, FloatVector x) {
  return _mm256_min_ps(high, x);
}
RTF_INLINE DoubleVector Max(DoubleVector low, DoubleVector x) {
  return _mm256_max_pd(low, x);
}
RTF_INLINE DoubleVector Min(DoubleVector high, DoubleVector x) {
  return _mm256_min_pd(high, x);
}

class FirstLanes {
 public:
  RTF_INLINE explicit FirstLanes(int64_t count)
      : mask32_(_mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)),
                                   _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))),
        mask64_(_mm256_cmpgt_epi64(_mm256_set1_epi64x(count),
                                   _mm256_setr_epi64x(0, 1, 2, 3))) {}
  RTF_INLINE FloatVector Load(const float* from) const {
    return _mm256_maskload_ps(from, mask32_);
  }
  RTF_INLINE DoubleVector Load(const double* from) const {
    return _mm256_maskload_pd(from, mask64_);
  }
  RTF_INLINE void Store(float* to, FloatVector x) const {
    _mm256_maskstore_ps(to, mask32_, x);
  }
  RTF_INLINE void Store(double* to, DoubleVector x) const {
    _mm256_maskstore_pd(to, mask64_, x);
  }

 private:
  const __m256i mask32_;
  const __m256i mask64_;
};

#else

template <typename V>
RTF_INLINE V Max(V low, V x) {
  return x < low ? low : x;
}
template <typename V>
RTF_INLINE V Min(V high, V x) {
  return high < x ? high : x;
}

class FirstLanes {
 public:
  RTF_INLINE explicit FirstLanes(int64_t count) : count_(count) {}
  template <typename T>
  RTF_INLINE typename Of<T>::Vector Load(const T* from) const {
    typename Of<T>::Vector x = {};
    for (int64_t i = 0; i < count_; ++i) x[i] = from[i];
    return x;
  }
  template <typename T>
  RTF_INLINE void Store(T* to, typename Of<T>::Vector x) const {
    for (int64_t i = 0; i < count_; ++i) to[i] = x[i];
  }

 private:
  const int64_t count_;
};

#endif

// Reads and writes whole vectors, at any address.
class AllLanes {
 public:
  template <typename T>
  RTF_INLINE typename Of<T>::Vector Load(const T* from) const {
    typename Of<T>::Vector x;
    __builtin_memcpy(&x, from, sizeof(x));
    return x;
  }
  template <typename T>
  RTF_INLINE void Store(T* to, typename Of<T>::Vector x) const {
    __builtin_memcpy(to, &x, sizeof(x));
  }
};

// Returns e^x as scale + scale * tail, |x| <= kMaxExponent. Apart, so that
// e^x - 1 keeps its digits where x is small: there the scale is 1.
template <typename T, typename V>
RTF_INLINE void Exp(V x, V* scale, V* tail) {
  constexpr T kLog2E = static_cast<T>(1.44269504088896340736);
  const V rounded = x * kLog2E + Of<T>::kRounder;
  const V n = rounded - Of<T>::kRounder;
  const V r = (x - n * Of<T>::kLn2High) - n * Of<T>::kLn2Low;
  V p = r * Of<T>::kExp[0] + Of<T>::kExp[1];
  constexpr int kNumTerms = sizeof(Of<T>::kExp) / sizeof(T);
#pragma GCC unroll 16
  for (int i = 2; i < kNumTerms; ++i) p = p * r + Of<T>::kExp[i];
  *tail = (r * r) * p + r;
  using IntVector = typename Of<T>::IntVector;
  *scale = (V)(((IntVector)rounded << Of<T>::kMantissaBits) + Of<T>::kOne);
}

// Relative error: about 2e-7 for float, 4e-16 for double; where e^x is so large
// that the result is below the normal numbers, the smallest of these.
template <typename T, typename V>
RTF_INLINE V Sigmoid(V x) {
  constexpr T kMax = Of<T>::kMaxExponent;
  const V y = Min(V{} + kMax, Max(V{} - kMax, -x));
  V scale, tail;
  Exp<T>(y, &scale, &tail);
  return T{1} / (T{1} + (scale * tail + scale));
}

template <typename T, typename V>
RTF_INLINE V Tanh(V x) {
  constexpr T kMax = Of<T>::kTanhIsOne;
  const V y = Min(V{} + kMax, Max(V{} - kMax, x));
  V scale, tail;
  Exp<T>(y + y, &scale, &tail);
  const V expm1 = scale * tail + (scale - T{1});
  return expm1 / (expm1 + T{2});
}

// Adds up the lanes of four vectors: totals[i] is the sum of the i-th.
#if RECURSIVE_TF_SIMD_BYTES == 64
RTF_INLINE void SumFour(FloatVector a, FloatVector b, FloatVector c,
                        FloatVector d, float* totals) {
  const FloatVector ab =
      _mm512_maskz_unpacklo_ps(-1, a, b) + _mm512_maskz_unpackhi_ps(-1, a, b);
  const FloatVector cd =
      _mm512_maskz_unpacklo_ps(-1, c, d) + _mm512_maskz_unpackhi_ps(-1, c, d);
  const FloatVector abcd = _mm512_maskz_shuffle_ps(-1, ab, cd, 0x44) +
                           _mm512_maskz_shuffle_ps(-1, ab, cd, 0xEE);
  const __m256 half = _mm512_maskz_extractf32x8_ps(-1, abcd, 0) +
                      _mm512_maskz_extractf32x8_ps(-1, abcd, 1);
  _mm_storeu_ps(totals,
                _mm256_castps256_ps128(half) + _mm256_extractf128_ps(half, 1));
}
RTF_INLINE void SumFour(DoubleVector a, DoubleVector b, DoubleVector c,
                        DoubleVector d, double* totals) {
  const DoubleVector ab =
      _mm512_maskz_unpacklo_pd(-1, a, b) + _mm512_maskz_unpackhi_pd(-1, a, b);
  const DoubleVector cd =
      _mm512_maskz_unpacklo_pd(-1, c, d) + _mm512_maskz_unpackhi_pd(-1, c, d);
  const __m256d ab4 = _mm512_maskz_extractf64x4_pd(-1, ab, 0) +
                      _mm512_maskz_extractf64x4_pd(-1, ab, 1);
  const __m256d cd4 = _mm512_maskz_extractf64x4_pd(-1, cd, 0) +
                      _mm512_maskz_extractf64x4_pd(-1, cd, 1);
  _mm_storeu_pd(totals,
                _mm256_castpd256_pd128(ab4) + _mm256_extractf128_pd(ab4, 1));
  _mm_storeu_pd(totals + 2,
                _mm256_castpd256_pd128(cd4) + _mm256_extractf128_pd(cd4, 1));
}
#elif RECURSIVE_TF_SIMD_BYTES == 32
RTF_INLINE void SumFour(FloatVector a, FloatVector b, FloatVector c,
                        FloatVector d, float* totals) {
  const FloatVector ab = _mm256_hadd_ps(a, b);
  const FloatVector abcd = _mm256_hadd_ps(ab, _mm256_hadd_ps(c, d));
  _mm_storeu_ps(totals,
                _mm256_castps256_ps128(abcd) + _mm256_extractf128_ps(abcd, 1));
}
RTF_INLINE void SumFour(DoubleVector a, DoubleVector b, DoubleVector c,
                        DoubleVector d, double* totals) {
  const DoubleVector ab = _mm256_hadd_pd(a, b);
  const DoubleVector cd = _mm256_hadd_pd(c, d);
  _mm_storeu_pd(totals,
                _mm256_castpd256_pd128(ab) + _mm256_extractf128_pd(ab, 1));
  _mm_storeu_pd(totals + 2,
                _mm256_castpd256_pd128(cd) + _mm256_extractf128_pd(cd, 1));
}
#else
template <typename T, typename V>
RTF_INLINE void SumFour(V a, V b, V c, V d, T* totals) {
  for (int i = 0; i < 4; ++i) totals[i] = 0;
  for (int64_t i = 0; i < Of<T>::kLanes; ++i) {
    totals[0] += a[i];
    totals[1] += b[i];
    totals[2] += c[i];
    totals[3] += d[i];
  }
}
#endif
