// The loops of adagrad.cc, for one SimdTarget. See for_each_simd_target.h.

#if RECURSIVE_TF_SIMD_BYTES == 64
// With a mask, as Max and Min.
RTF_INLINE FloatVector Sqrt(FloatVector x) {
  return _mm512_maskz_sqrt_ps(-1, x);
}
RTF_INLINE DoubleVector Sqrt(DoubleVector x) {
  return _mm512_maskz_sqrt_pd(-1, x);
}
#elif RECURSIVE_TF_SIMD_BYTES == 32
RTF_INLINE FloatVector Sqrt(FloatVector x) { return _mm256_sqrt_ps(x); }
RTF_INLINE DoubleVector Sqrt(DoubleVector x) { return _mm256_sqrt_pd(x); }
#elif RECURSIVE_TF_SIMD_X86
RTF_INLINE FloatVector Sqrt(FloatVector x) { return _mm_sqrt_ps(x); }
RTF_INLINE DoubleVector Sqrt(DoubleVector x) { return _mm_sqrt_pd(x); }
#else
RTF_INLINE FloatVector Sqrt(FloatVector x) {
  for (int i = 0; i < Of<float>::kLanes; ++i) x[i] = __builtin_sqrtf(x[i]);
  return x;
}
RTF_INLINE DoubleVector Sqrt(DoubleVector x) {
  for (int i = 0; i < Of<double>::kLanes; ++i) x[i] = __builtin_sqrt(x[i]);
  return x;
}
#endif

// One vector of elements, `w` being their weights.
template <typename T, typename V, typename Lanes>
RTF_INLINE void Step(T rate, T epsilon, V g, V w, T* sums, T* weights,
                     const Lanes lanes) {
  const V sum = lanes.Load(sums) + g * g;
  lanes.Store(sums, sum);
  lanes.Store(weights, w - rate * g / (Sqrt(sum) + epsilon));
}

template <typename T, bool kHasL2, typename Lanes>
RTF_INLINE void Element(const Adagrad<T>& args, int64_t i, const Lanes lanes) {
  using V = typename Of<T>::Vector;
  V g = lanes.Load(args.gradients + i);
  const V w = lanes.Load(args.weights + i);
  if (kHasL2) g += args.l2 * w;
  Step(args.rate, args.epsilon, g, w, args.sums + i, args.weights + i, lanes);
}

// By value: what is stored could not change an argument.
template <typename T, bool kHasL2>
void ElementLoop(const Adagrad<T> args, int64_t begin, int64_t end) {
  int64_t i = begin;
  for (; i + Of<T>::kLanes <= end; i += Of<T>::kLanes) {
    Element<T, kHasL2>(args, i, AllLanes());
  }
  if (i < end) Element<T, kHasL2>(args, i, FirstLanes(end - i));
}

template <typename T>
void Elements(const Adagrad<T>& args, int64_t begin, int64_t end) {
  if (args.l2 != 0) {
    ElementLoop<T, true>(args, begin, end);
  } else {
    ElementLoop<T, false>(args, begin, end);
  }
}

// Columns [column, column + kVectors vectors) of one group: the sum of its
// gradients stays in registers.
template <typename T, int kVectors, typename Lanes>
RTF_INLINE void GroupColumns(const AdagradRows<T>& args, int64_t group,
                             int64_t column, const Lanes lanes) {
  using V = typename Of<T>::Vector;
  constexpr int64_t kLanes = Of<T>::kLanes;
  const int64_t* member = args.members + args.starts[group];
  const int64_t* end = args.members + args.starts[group + 1];
  const T* from = args.gradients + *member * args.width + column;
  V g[kVectors];
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) g[v] = lanes.Load(from + v * kLanes);
  while (++member != end) {
    from = args.gradients + *member * args.width + column;
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) g[v] += lanes.Load(from + v * kLanes);
  }
  const int64_t own = args.rows[group] * args.width + column;
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) {
    T* weights = args.weights + own + v * kLanes;
    Step(args.rate, args.epsilon, g[v], lanes.Load(weights),
         args.sums + own + v * kLanes, weights, lanes);
  }
}

// Rows lie far apart: brings the first lines of one near, the processor guesses
// the others.
template <typename T>
RTF_INLINE void PrefetchRow(const T* row, int64_t width) {
  constexpr int64_t kLine = 64 / sizeof(T);
  constexpr int64_t kMaxLines = 20;
  const int64_t end = width < kMaxLines * kLine ? width : kMaxLines * kLine;
  for (int64_t i = 0; i < end; i += kLine) __builtin_prefetch(row + i);
}

template <typename T>
void Groups(const AdagradRows<T> args, int64_t begin, int64_t end) {
  constexpr int kVectors = 8;
  constexpr int64_t kLanes = Of<T>::kLanes;
  const int64_t width = args.width;
  const int64_t tail = width % kLanes;
  const int64_t whole = width - tail;
  const FirstLanes tail_lanes(tail);
  for (int64_t group = begin; group < end; ++group) {
    if (group + 1 < end) {
      const int64_t next = args.rows[group + 1] * width;
      PrefetchRow(args.weights + next, width);
      PrefetchRow(args.sums + next, width);
    }
    int64_t column = 0;
    for (; column + kVectors * kLanes <= whole; column += kVectors * kLanes) {
      GroupColumns<T, kVectors>(args, group, column, AllLanes());
    }
    for (; column < whole; column += kLanes) {
      GroupColumns<T, 1>(args, group, column, AllLanes());
    }
    if (tail > 0) GroupColumns<T, 1>(args, group, whole, tail_lanes);
  }
}
