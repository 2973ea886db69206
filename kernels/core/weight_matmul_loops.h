// The loops of weight_matmul.cc, for one SimdTarget. See
// for_each_simd_target.h.

#if RECURSIVE_TF_SIMD_BYTES == 64
constexpr int kMaxTileRows = 14;  // 2 vectors each: 28 of 32 registers.
constexpr int kMaxTileVectors = 8;
#else
constexpr int kMaxTileRows = 6;  // 2 vectors each: 12 of 16 registers.
constexpr int kMaxTileVectors = 4;
#endif

// The more rows a tile has, the fewer vectors of columns.
constexpr int TileVectors(int rows) {
  return rows <= 2                          ? kMaxTileVectors
         : 4 * rows <= 2 * kMaxTileRows - 4 ? kMaxTileVectors / 2
                                            : 2;
}

// y[r, :] = x[r, :] w for kRows rows and kVectors vectors of columns, the sums
// being held in registers. `lanes` are those of the last vector.
template <typename T, int kRows, int kVectors, typename Lanes>
RTF_INLINE void Tile(const WeightMatMul<T>& args, const T* x, const T* w, T* y,
                     const Lanes lanes) {
  using V = typename Of<T>::Vector;
  // So many independent sums that no addition waits for the one before.
  constexpr int kSums = kRows * kVectors;
  constexpr int kUnroll = kSums >= 8 ? 1 : kSums >= 4 ? 2 : 4;
  const int64_t depth = args.depth;
  const int64_t stride = args.width;
  V sums[kUnroll][kRows][kVectors] = {};
  const auto step = [&](int64_t k, int part) RTF_INLINE_LAMBDA {
    V columns[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      const T* column = w + k * stride + v * Of<T>::kLanes;
      columns[v] =
          v + 1 < kVectors ? AllLanes().Load(column) : lanes.Load(column);
      RTF_IN_REGISTER(columns[v]);
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const V value = x[r * depth + k] - V{};
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        sums[part][r][v] += value * columns[v];
      }
    }
  };
  int64_t k = 0;
  for (; k + kUnroll <= depth; k += kUnroll) {
#pragma GCC unroll 4
    for (int part = 0; part < kUnroll; ++part) step(k + part, part);
  }
  if (kUnroll > 1) {
    for (; k < depth; ++k) step(k, 0);
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      V sum = sums[0][r][v];
#pragma GCC unroll 4
      for (int part = 1; part < kUnroll; ++part) sum += sums[part][r][v];
      T* column = y + r * stride + v * Of<T>::kLanes;
      if (v + 1 < kVectors) {
        AllLanes().Store(column, sum);
      } else {
        lanes.Store(column, sum);
      }
    }
  }
}

// All columns [begin, end) of kRows rows. Columns that fill one vector and a
// part of another are one tile: each value of x is loaded for both.
template <typename T, int kRows>
void TileRow(const WeightMatMul<T>& args, int64_t row, int64_t begin,
             int64_t end) {
  constexpr int64_t kLanes = Of<T>::kLanes;
  const T* x = args.x + row * args.depth;
  T* y = args.y + row * args.width;
  constexpr int kVectors = TileVectors(kRows);
  int64_t j = begin;
  for (; j + kVectors * kLanes <= end; j += kVectors * kLanes) {
    Tile<T, kRows, kVectors>(args, x, args.weights + j, y + j, AllLanes());
  }
  if constexpr (kVectors > 4) {
    if (j + 4 * kLanes <= end) {
      Tile<T, kRows, 4>(args, x, args.weights + j, y + j, AllLanes());
      j += 4 * kLanes;
    }
  }
  if constexpr (kVectors > 2) {
    if (j + 2 * kLanes <= end) {
      Tile<T, kRows, 2>(args, x, args.weights + j, y + j, AllLanes());
      j += 2 * kLanes;
    }
  }
  if (end - j > kLanes) {
    Tile<T, kRows, 2>(args, x, args.weights + j, y + j,
                      FirstLanes(end - j - kLanes));
  } else if (end - j == kLanes) {
    Tile<T, kRows, 1>(args, x, args.weights + j, y + j, AllLanes());
  } else if (j < end) {
    Tile<T, kRows, 1>(args, x, args.weights + j, y + j, FirstLanes(end - j));
  }
}

// The columns [begin, end) of the block of rows [row, next).
template <typename T>
void TileRows(const WeightMatMul<T>& args, int64_t row, int64_t next,
              int64_t begin, int64_t end) {
  switch (next - row) {
#define RTF_CASE(N) \
  case N:           \
    return TileRow<T, N>(args, row, begin, end);
    RTF_CASE(1)
    RTF_CASE(2)
    RTF_CASE(3)
    RTF_CASE(4)
    RTF_CASE(5)
    RTF_CASE(6)
#if RECURSIVE_TF_SIMD_BYTES == 64
    RTF_CASE(7)
    RTF_CASE(8)
    RTF_CASE(9)
    RTF_CASE(10)
    RTF_CASE(11)
    RTF_CASE(12)
    RTF_CASE(13)
    RTF_CASE(14)
#endif
#undef RTF_CASE
  }
}

// From so many rows on, weights are copied before they are read: into the order
// in which they are read, a panel of columns at a time. With the tall tiles of
// AVX-512 that takes longer than it saves at up to 256 rows (measured); but not
// where sums are short, of which DotTile computes few at a time, nor transposed
// with rows that no cache holds.
#if RECURSIVE_TF_SIMD_BYTES == 64
constexpr int64_t kMinPanelRows = INT64_MAX;
constexpr int64_t kMinTransposedPanelRows = 1024;
#else
constexpr int64_t kMinPanelRows = 24;
constexpr int64_t kMinTransposedPanelRows = 128;
#endif
constexpr int64_t kMinShallowPanelRows = 12;
constexpr int64_t kShallow = 64;      // Sums of so few terms.
constexpr int64_t kPanelDepth = 256;  // 16 KiB of weights at AVX2's width.

// [depth, 2 vectors] of the weights: rows [k, k + depth) of columns [column,
// column + count), zeros in the others.
template <typename T>
RTF_INLINE void CopyPanel(const WeightMatMul<T>& args, int64_t k, int64_t depth,
                          int64_t column, int64_t count, T* panel) {
  constexpr int64_t kLanes = Of<T>::kLanes;
  const T* from = args.weights + k * args.width + column;
  const FirstLanes first(count < kLanes ? count : kLanes);
  const FirstLanes second(count < kLanes ? 0 : count - kLanes);
  for (int64_t i = 0; i < depth; ++i) {
    const T* row = from + i * args.width;
    T* to = panel + i * 2 * kLanes;
    if (count == 2 * kLanes) {
      AllLanes().Store(to, AllLanes().Load(row));
      AllLanes().Store(to + kLanes, AllLanes().Load(row + kLanes));
    } else {
      AllLanes().Store(to, first.Load(row));
      AllLanes().Store(to + kLanes, second.Load(row + kLanes));
    }
  }
}

// A vector of four elements of two: 0 to 3 are the first's.
#undef RTF_PICK
#if __has_builtin(__builtin_shufflevector)
#define RTF_PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else  // GCC before 12.
#define RTF_PICK(a, b, i, j, k, l) \
  (Four{RTF_ONE(a, b, i), RTF_ONE(a, b, j), RTF_ONE(a, b, k), RTF_ONE(a, b, l)})
#undef RTF_ONE
#define RTF_ONE(a, b, i) ((i) < 4 ? (a)[(i) % 4] : (b)[(i) % 4])
#endif

// Four by four elements: to[i][j] = from[j][i].
template <typename T>
RTF_INLINE void TransposeFour(const T* const from[4], T* to, int64_t stride) {
  typedef T Four __attribute__((vector_size(4 * sizeof(T))));
  Four a, b, c, d;
  __builtin_memcpy(&a, from[0], sizeof(a));
  __builtin_memcpy(&b, from[1], sizeof(b));
  __builtin_memcpy(&c, from[2], sizeof(c));
  __builtin_memcpy(&d, from[3], sizeof(d));
  const Four ab_low = RTF_PICK(a, b, 0, 4, 1, 5);
  const Four ab_high = RTF_PICK(a, b, 2, 6, 3, 7);
  const Four cd_low = RTF_PICK(c, d, 0, 4, 1, 5);
  const Four cd_high = RTF_PICK(c, d, 2, 6, 3, 7);
  a = RTF_PICK(ab_low, cd_low, 0, 1, 4, 5);
  b = RTF_PICK(ab_low, cd_low, 2, 3, 6, 7);
  c = RTF_PICK(ab_high, cd_high, 0, 1, 4, 5);
  d = RTF_PICK(ab_high, cd_high, 2, 3, 6, 7);
  __builtin_memcpy(to, &a, sizeof(a));
  __builtin_memcpy(to + stride, &b, sizeof(b));
  __builtin_memcpy(to + 2 * stride, &c, sizeof(c));
  __builtin_memcpy(to + 3 * stride, &d, sizeof(d));
}

// As CopyPanel, of transposed weights.
template <typename T>
RTF_INLINE void TransposePanel(const WeightMatMul<T>& args, int64_t k,
                               int64_t depth, int64_t column, int64_t count,
                               T* panel) {
  constexpr int64_t kWidth = 2 * Of<T>::kLanes;
  for (int64_t c = 0; c < kWidth; c += 4) {
    const T* from[4];
    for (int64_t i = 0; i < 4; ++i) {
      // What lies past the last column is computed, and not stored.
      const int64_t own = c + i < count ? c + i : count - 1;
      from[i] = args.weights + (column + own) * args.depth + k;
    }
    int64_t i = 0;
    for (; i + 4 <= depth; i += 4) {
      const T* const four[4] = {from[0] + i, from[1] + i, from[2] + i,
                                from[3] + i};
      TransposeFour(four, panel + i * kWidth + c, kWidth);
    }
    for (; i < depth; ++i) {
      for (int64_t j = 0; j < 4; ++j) panel[i * kWidth + c + j] = from[j][i];
    }
  }
}

// A tile of y, kRows high and two vectors wide, plus (or, where `is_first`,
// becomes) the product of `depth` columns of x and a panel. The lanes are those
// of the two vectors of y.
template <typename T, int kRows, typename Lanes>
RTF_INLINE void PanelTile(const WeightMatMul<T>& args, const T* x,
                          const T* panel, int64_t depth, T* y, bool is_first,
                          const Lanes near, const Lanes far) {
  using V = typename Of<T>::Vector;
  constexpr int64_t kLanes = Of<T>::kLanes;
  V sums[kRows][2] = {};
  if (!is_first) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      sums[r][0] = near.Load(y + r * args.width);
      sums[r][1] = far.Load(y + r * args.width + kLanes);
    }
  }
  for (int64_t k = 0; k < depth; ++k) {
    V first = AllLanes().Load(panel + k * 2 * kLanes);
    V last = AllLanes().Load(panel + k * 2 * kLanes + kLanes);
    RTF_IN_REGISTER(first);
    RTF_IN_REGISTER(last);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const V value = x[r * args.depth + k] - V{};
      sums[r][0] += value * first;
      sums[r][1] += value * last;
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    near.Store(y + r * args.width, sums[r][0]);
    far.Store(y + r * args.width + kLanes, sums[r][1]);
  }
}

// The product of all rows and one panel.
template <typename T, typename Lanes>
void PanelRows(const WeightMatMul<T>& args, const T* panel, int64_t k,
               int64_t depth, int64_t column, const Lanes near,
               const Lanes far) {
  const int64_t num_blocks = (args.rows + kMaxTileRows - 1) / kMaxTileRows;
  for (int64_t block = 0; block < num_blocks; ++block) {
    const int64_t row = block * args.rows / num_blocks;
    const T* x = args.x + row * args.depth + k;
    T* y = args.y + row * args.width + column;
    switch ((block + 1) * args.rows / num_blocks - row) {
#define RTF_CASE(N)                                               \
  case N:                                                         \
    PanelTile<T, N>(args, x, panel, depth, y, k == 0, near, far); \
    break;
      RTF_CASE(1)
      RTF_CASE(2)
      RTF_CASE(3)
      RTF_CASE(4)
      RTF_CASE(5)
      RTF_CASE(6)
#if RECURSIVE_TF_SIMD_BYTES == 64
      RTF_CASE(7)
      RTF_CASE(8)
      RTF_CASE(9)
      RTF_CASE(10)
      RTF_CASE(11)
      RTF_CASE(12)
      RTF_CASE(13)
      RTF_CASE(14)
#endif
#undef RTF_CASE
    }
  }
}

template <typename T, bool kIsTransposed>
void PanelProduct(const WeightMatMul<T>& args, int64_t begin, int64_t end) {
  constexpr int64_t kLanes = Of<T>::kLanes;
  alignas(64) T panel[kPanelDepth * 2 * kLanes];
  for (int64_t j = begin; j < end; j += 2 * kLanes) {
    const int64_t count = end - j < 2 * kLanes ? end - j : 2 * kLanes;
    for (int64_t k = 0; k < args.depth; k += kPanelDepth) {
      const int64_t left = args.depth - k;
      const int64_t depth = left < kPanelDepth ? left : kPanelDepth;
      if (kIsTransposed) {
        TransposePanel(args, k, depth, j, count, panel);
      } else {
        CopyPanel(args, k, depth, j, count, panel);
      }
      if (count == 2 * kLanes) {
        PanelRows(args, panel, k, depth, j, AllLanes(), AllLanes());
      } else {
        PanelRows(args, panel, k, depth, j,
                  FirstLanes(count < kLanes ? count : kLanes),
                  FirstLanes(count < kLanes ? 0 : count - kLanes));
      }
    }
  }
}

// So many bytes of x stay in the second-level cache beside the weights that
// they meet. Rows that no cache holds would be read again for each chunk of
// columns. But each part reads all weights: that is for many rows only.
constexpr int64_t kMinDividedRows = 1024;
constexpr int64_t kPartBytes = 256 << 10;
constexpr int64_t kMinPartRows = 64;

template <typename T>
void Product(const WeightMatMul<T>& args, int64_t begin, int64_t end) {
  if (args.rows >= kMinPanelRows && args.depth > 0) {
    return PanelProduct<T, false>(args, begin, end);
  }
  const int64_t num_blocks = (args.rows + kMaxTileRows - 1) / kMaxTileRows;
  const int64_t row_bytes = args.depth * sizeof(T);
  const bool is_divided =
      args.rows >= kMinDividedRows && kMinPartRows * row_bytes <= kPartBytes;
  const int64_t num_parts =
      is_divided ? 1 + args.rows * row_bytes / kPartBytes : 1;
  // A chunk of columns serves all rows of a part from a near cache.
  const int64_t chunk = num_blocks > 1 ? 2 * Of<T>::kLanes : end - begin;
  for (int64_t part = 0; part < num_parts; ++part) {
    const int64_t first = part * num_blocks / num_parts;
    const int64_t last = (part + 1) * num_blocks / num_parts;
    for (int64_t j = begin; j < end; j += chunk) {
      const int64_t chunk_end = j + chunk < end ? j + chunk : end;
      for (int64_t block = first; block < last; ++block) {
        TileRows(args, block * args.rows / num_blocks,
                 (block + 1) * args.rows / num_blocks, j, chunk_end);
      }
    }
  }
}

// y[r, c] = x[r, :] . w[c, :] for kRows rows and kGroups times four columns:
// sums along the vectors, added up at the end.
template <typename T, int kRows, int kGroups>
RTF_INLINE void DotTile(const WeightMatMul<T>& args, int64_t row,
                        int64_t column, int64_t num_columns) {
  using V = typename Of<T>::Vector;
  constexpr int kColumns = 4 * kGroups;
  constexpr int64_t kLanes = Of<T>::kLanes;
  const int64_t depth = args.depth;
  const T* x = args.x + row * depth;
  const T* w[kColumns];
#pragma GCC unroll 8
  for (int c = 0; c < kColumns; ++c) {
    w[c] = args.weights +
           (column + (c < num_columns ? c : num_columns - 1)) * depth;
  }
  V sums[kRows][kColumns] = {};
  const auto step = [&](int64_t k, const auto lanes) RTF_INLINE_LAMBDA {
    V values[kRows];
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      values[r] = lanes.Load(x + r * depth + k);
      RTF_IN_REGISTER(values[r]);
    }
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) {
      V weights = lanes.Load(w[c] + k);
      RTF_IN_REGISTER(weights);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) sums[r][c] += values[r] * weights;
    }
  };
  int64_t k = 0;
  for (; k + kLanes <= depth; k += kLanes) step(k, AllLanes());
  if (k < depth) step(k, FirstLanes(depth - k));
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    T* y = args.y + (row + r) * args.width + column;
#pragma GCC unroll 2
    for (int group = 0; group < kGroups; ++group) {
      const V* s = sums[r] + 4 * group;
      T totals[4];
      SumFour(s[0], s[1], s[2], s[3], totals);
      const int64_t left = num_columns - 4 * group;
      if (left >= 4) {
        __builtin_memcpy(y + 4 * group, totals, sizeof(totals));
      } else {
        for (int64_t c = 0; c < left; ++c) y[4 * group + c] = totals[c];
      }
    }
  }
}

#if RECURSIVE_TF_SIMD_BYTES == 64
constexpr int kMaxDotRows = 6;
#else
constexpr int kMaxDotRows = 3;
#endif

template <typename T, int kRows>
void DotTileRow(const WeightMatMul<T>& args, int64_t row, int64_t begin,
                int64_t end) {
  constexpr int kGroups = kMaxDotRows > 3 && kRows <= 2 ? 2 : 1;
  for (int64_t c = begin; c < end; c += 4 * kGroups) {
    DotTile<T, kRows, kGroups>(args, row, c, end - c);
  }
}

template <typename T>
void DotTileRows(const WeightMatMul<T>& args, int64_t row, int64_t next,
                 int64_t begin, int64_t end) {
  switch (next - row) {
#define RTF_CASE(N) \
  case N:           \
    return DotTileRow<T, N>(args, row, begin, end);
    RTF_CASE(1)
    RTF_CASE(2)
    RTF_CASE(3)
#if RECURSIVE_TF_SIMD_BYTES == 64
    RTF_CASE(4)
    RTF_CASE(5)
    RTF_CASE(6)
#endif
#undef RTF_CASE
  }
}

template <typename T>
void TransposedProduct(const WeightMatMul<T>& args, int64_t begin,
                       int64_t end) {
  const int64_t min_rows =
      args.depth <= kShallow ? kMinShallowPanelRows : kMinTransposedPanelRows;
  if (args.rows >= min_rows && args.depth > 0) {
    return PanelProduct<T, true>(args, begin, end);
  }
  const int64_t num_blocks = (args.rows + kMaxDotRows - 1) / kMaxDotRows;
  // A chunk of w, which stays in the second-level cache for all rows.
  constexpr int64_t kChunkBytes = 1 << 17;
  int64_t chunk = end - begin;
  if (num_blocks > 1) {
    const int64_t fitting = kChunkBytes / (args.depth * sizeof(T) + 1);
    chunk = fitting < 8 ? 8 : fitting / 8 * 8;
  }
  for (int64_t c = begin; c < end; c += chunk) {
    const int64_t chunk_end = c + chunk < end ? c + chunk : end;
    for (int64_t block = 0; block < num_blocks; ++block) {
      DotTileRows(args, block * args.rows / num_blocks,
                  (block + 1) * args.rows / num_blocks, c, chunk_end);
    }
  }
}
