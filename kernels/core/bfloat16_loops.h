// The loops of bfloat16_product.cc but for the row product. Included once, in a
// namespace of its own, whose functions may use AVX512-BF16: no include guard,
// and no includes.

#undef RTF_INLINE
#undef RTF_INLINE_LAMBDA
#undef RTF_IN_REGISTER
#define RTF_INLINE inline __attribute__((always_inline))
#define RTF_INLINE_LAMBDA __attribute__((always_inline))
#define RTF_IN_REGISTER(vector) __asm__("" : "+v"(vector))

constexpr int64_t kLanes = 16;  // Floats of a vector.
constexpr int64_t kPairs = 32;  // bfloat16s of a vector: 16 pairs.

// Masks of the first `count` lanes; all from 16 or 32 on.
RTF_INLINE __mmask16 First16(int64_t count) {
  return static_cast<__mmask16>(count >= 16 ? 0xffff : (1u << count) - 1);
}
RTF_INLINE __mmask32 First32(int64_t count) {
  return count >= 32 ? 0xffffffffu : (1u << count) - 1;
}

RTF_INLINE __m512i Load(const uint16_t* from) {
  return _mm512_loadu_si512(from);
}
RTF_INLINE __m512i Load(const uint16_t* from, __mmask32 lanes) {
  return _mm512_maskz_loadu_epi16(lanes, from);
}

// Two elements, in all pairs of a vector.
RTF_INLINE __m512i Pair(const uint16_t* from) {
  int32_t pair;
  __builtin_memcpy(&pair, from, sizeof(pair));
  return _mm512_set1_epi32(pair);
}

// sums[i] + a[2i] b[2i] + a[2i + 1] b[2i + 1].
RTF_INLINE void AddProducts(__m512i a, __m512i b, __m512& sums) {
  sums = _mm512_dpbf16_ps(sums, (__m512bh)a, (__m512bh)b);
}

// The pairs (first[i], second[i]) of 16 floats each.
RTF_INLINE __m512i RoundedPairs(__m512 first, __m512 second) {
  const __m512i both = (__m512i)_mm512_cvtne2ps_pbh(second, first);
  static constexpr int16_t kOrder[32] __attribute__((aligned(64))) = {
      0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
      8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  return _mm512_maskz_permutexvar_epi16(0xffffffffu, _mm512_load_si512(kOrder),
                                        both);
}

inline void RoundRows(const float* from, int64_t rows, int64_t depth,
                      uint16_t* to) {
  const int64_t size = (depth + 1) / 2 * 2;
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = from + r * depth;
    uint16_t* copy = to + r * size;
    for (int64_t k = 0; k < size; k += kPairs) {
      const __m512 low = _mm512_maskz_loadu_ps(First16(depth - k), row + k);
      const __m512 high = _mm512_maskz_loadu_ps(
          depth - k > kLanes ? First16(depth - k - kLanes) : 0,
          row + k + kLanes);
      _mm512_mask_storeu_epi16(copy + k, First32(size - k),
                               (__m512i)_mm512_cvtne2ps_pbh(high, low));
    }
  }
}

constexpr int kMaxTileRows = 14;  // 2 vectors each: 28 of 32 registers.

// The more rows a tile has, the fewer vectors of columns.
constexpr int TileVectors(int rows) {
  return rows <= 2 ? 8 : rows <= 6 ? 4 : 2;
}

// y[r, :] = x[r, :] w for kRows rows and kVectors vectors of columns, the sums
// being held in registers. Of the last two vectors, `count` columns are there.
template <int kRows, int kVectors, bool kIsWhole>
RTF_INLINE void Tile(const Bfloat16MatMul& args, const uint16_t* x,
                     const uint16_t* w, float* y, int64_t count) {
  const int64_t depth = args.depth;
  const int64_t x_stride = (depth + 1) / 2 * 2;
  const int64_t stride = args.width;
  const __mmask32 columns = First32(count);
  __m512 sums[kRows][kVectors] = {};
  // Rows k and k + 1 of w, as pairs. Of each 8 columns the first four become
  // those of one vector, the others of another.
  const auto step = [&](int64_t k, bool is_last) RTF_INLINE_LAMBDA {
    __m512i pairs[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; v += 2) {
      const uint16_t* from = w + k * stride + v * kLanes;
      const __m512i first = kIsWhole ? Load(from) : Load(from, columns);
      __m512i second = _mm512_setzero_si512();
      if (!is_last) {
        second = kIsWhole ? Load(from + stride) : Load(from + stride, columns);
      }
      pairs[v] = _mm512_maskz_unpacklo_epi16(0xffffffffu, first, second);
      pairs[v + 1] = _mm512_maskz_unpackhi_epi16(0xffffffffu, first, second);
      RTF_IN_REGISTER(pairs[v]);
      RTF_IN_REGISTER(pairs[v + 1]);
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const __m512i value = Pair(x + r * x_stride + k);
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v)
        AddProducts(value, pairs[v], sums[r][v]);
    }
  };
  int64_t k = 0;
  for (; k + 2 <= depth; k += 2) step(k, false);
  if (k < depth) step(k, true);
  const __m512i low =
      _mm512_setr_epi32(0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
  const __m512i high = _mm512_setr_epi32(8, 9, 10, 11, 24, 25, 26, 27, 12, 13,
                                         14, 15, 28, 29, 30, 31);
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; v += 2) {
      float* to = y + r * stride + v * kLanes;
      const __m512 a = sums[r][v], b = sums[r][v + 1];
      const __m512 first = _mm512_permutex2var_ps(a, low, b);
      const __m512 second = _mm512_permutex2var_ps(a, high, b);
      if (kIsWhole) {
        _mm512_storeu_ps(to, first);
        _mm512_storeu_ps(to + kLanes, second);
      } else {
        _mm512_mask_storeu_ps(to, First16(count), first);
        if (count > kLanes) {
          _mm512_mask_storeu_ps(to + kLanes, First16(count - kLanes), second);
        }
      }
    }
  }
}

// All columns [begin, end) of kRows rows.
template <int kRows>
void TileRow(const Bfloat16MatMul& args, int64_t row, int64_t begin,
             int64_t end) {
  constexpr int kVectors = TileVectors(kRows);
  const uint16_t* x = args.x + row * ((args.depth + 1) / 2 * 2);
  float* y = args.y + row * args.width;
  int64_t j = begin;
  for (; j + kVectors * kLanes <= end; j += kVectors * kLanes) {
    Tile<kRows, kVectors, true>(args, x, args.weights + j, y + j, kPairs);
  }
  if constexpr (kVectors > 2) {
    for (; j + kPairs <= end; j += kPairs) {
      Tile<kRows, 2, true>(args, x, args.weights + j, y + j, kPairs);
    }
  }
  if (j < end) {
    Tile<kRows, 2, false>(args, x, args.weights + j, y + j, end - j);
  }
}

// Calls `call` with a constant equal to `count`, 1 to 14.
template <int kCount>
struct Constant {
  static constexpr int value = kCount;
};
template <typename Call>
RTF_INLINE void WithConstant(int64_t count, const Call& call) {
  switch (count) {
#define RTF_CASE(N) \
  case N:           \
    return call(Constant<N>());
    RTF_CASE(1)
    RTF_CASE(2)
    RTF_CASE(3)
    RTF_CASE(4)
    RTF_CASE(5)
    RTF_CASE(6)
    RTF_CASE(7)
    RTF_CASE(8)
    RTF_CASE(9)
    RTF_CASE(10)
    RTF_CASE(11)
    RTF_CASE(12)
    RTF_CASE(13)
    RTF_CASE(14)
#undef RTF_CASE
  }
}

inline void Product(const Bfloat16MatMul& args, int64_t begin, int64_t end) {
  const int64_t num_blocks = (args.rows + kMaxTileRows - 1) / kMaxTileRows;
  // A chunk of columns serves all rows from a near cache.
  const int64_t chunk = num_blocks > 1 ? kPairs : end - begin;
  for (int64_t j = begin; j < end; j += chunk) {
    const int64_t chunk_end = j + chunk < end ? j + chunk : end;
    for (int64_t block = 0; block < num_blocks; ++block) {
      const int64_t row = block * args.rows / num_blocks;
      WithConstant((block + 1) * args.rows / num_blocks - row, [&](auto count) {
        TileRow<decltype(count)::value>(args, row, j, chunk_end);
      });
    }
  }
}

// Adds up the lanes of four vectors: to[i] is the sum of the i-th.
RTF_INLINE __m128 SumFour(__m512 a, __m512 b, __m512 c, __m512 d) {
  const __m512 ab =
      _mm512_maskz_unpacklo_ps(-1, a, b) + _mm512_maskz_unpackhi_ps(-1, a, b);
  const __m512 cd =
      _mm512_maskz_unpacklo_ps(-1, c, d) + _mm512_maskz_unpackhi_ps(-1, c, d);
  const __m512 abcd = _mm512_maskz_shuffle_ps(-1, ab, cd, 0x44) +
                      _mm512_maskz_shuffle_ps(-1, ab, cd, 0xEE);
  const __m256 half = _mm512_maskz_extractf32x8_ps(-1, abcd, 0) +
                      _mm512_maskz_extractf32x8_ps(-1, abcd, 1);
  return _mm256_castps256_ps128(half) + _mm256_extractf128_ps(half, 1);
}

// y[r, c] = x[r, :] . w[c, :] for kRows rows and four columns: sums along the
// vectors, added up at the end.
template <int kRows>
RTF_INLINE void DotTile(const Bfloat16MatMul& args, int64_t row, int64_t column,
                        int64_t num_columns) {
  const int64_t depth = args.depth;
  const int64_t x_stride = (depth + 1) / 2 * 2;
  const uint16_t* x = args.x + row * x_stride;
  const uint16_t* w[4];
  for (int c = 0; c < 4; ++c) {
    w[c] = args.weights +
           (column + (c < num_columns ? c : num_columns - 1)) * depth;
  }
  __m512 sums[kRows][4] = {};
  const auto step = [&](int64_t k, auto is_whole,
                        __mmask32 lanes) RTF_INLINE_LAMBDA {
    constexpr bool kIsWhole = decltype(is_whole)::value;
    __m512i values[kRows];
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const uint16_t* from = x + r * x_stride + k;
      values[r] = kIsWhole ? Load(from) : Load(from, lanes);
      RTF_IN_REGISTER(values[r]);
    }
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) {
      const uint16_t* from = w[c] + k;
      __m512i weights = kIsWhole ? Load(from) : Load(from, lanes);
      RTF_IN_REGISTER(weights);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        AddProducts(values[r], weights, sums[r][c]);
      }
    }
  };
  int64_t k = 0;
  for (; k + kPairs <= depth; k += kPairs) step(k, Constant<1>(), 0);
  if (k < depth) step(k, Constant<0>(), First32(depth - k));
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    _mm_mask_storeu_ps(
        args.y + (row + r) * args.width + column,
        static_cast<__mmask8>(num_columns >= 4 ? 15 : (1 << num_columns) - 1),
        SumFour(sums[r][0], sums[r][1], sums[r][2], sums[r][3]));
  }
}

constexpr int64_t kMaxDotRows = 6;

inline void TransposedProduct(const Bfloat16MatMul& args, int64_t begin,
                              int64_t end) {
  const int64_t num_blocks = (args.rows + kMaxDotRows - 1) / kMaxDotRows;
  // A chunk of w, which stays in the second-level cache for all rows.
  constexpr int64_t kChunkBytes = 1 << 17;
  int64_t chunk = end - begin;
  if (num_blocks > 1) {
    const int64_t fitting = kChunkBytes / (args.depth * 2 + 1);
    chunk = fitting < 4 ? 4 : fitting / 4 * 4;
  }
  for (int64_t c = begin; c < end; c += chunk) {
    const int64_t chunk_end = c + chunk < end ? c + chunk : end;
    for (int64_t block = 0; block < num_blocks; ++block) {
      const int64_t row = block * args.rows / num_blocks;
      const auto run = [&](auto count) RTF_INLINE_LAMBDA {
        for (int64_t j = c; j < chunk_end; j += 4) {
          DotTile<decltype(count)::value>(args, row, j, chunk_end - j);
        }
      };
      switch ((block + 1) * args.rows / num_blocks - row) {
        case 1:
          run(Constant<1>());
          break;
        case 2:
          run(Constant<2>());
          break;
        case 3:
          run(Constant<3>());
          break;
        case 4:
          run(Constant<4>());
          break;
        case 5:
          run(Constant<5>());
          break;
        case 6:
          run(Constant<6>());
          break;
      }
    }
  }
}
