// The row product of bfloat16_product.cc: as row_product_loops.h, but that
// operands are rounded while they are copied, as pairs of rows. Included after
// bfloat16_loops.h.

constexpr int kMaxProductRows = 12;  // 2 vectors each: 24 of 32 registers.

// A tile of y, kRows high and two vectors wide, plus (or, where `is_first`,
// becomes) the product of `pairs` pairs of rows of the copies: left [pairs,
// kRows, 2] and right [pairs, 32, 2]. Of the columns, `count` are there.
template <int kRows>
RTF_INLINE void ProductTile(int64_t pairs, const uint16_t* left,
                            const uint16_t* right, float* y, int64_t width,
                            bool is_first, int64_t count) {
  const __mmask16 near = First16(count);
  const __mmask16 far = count > kLanes ? First16(count - kLanes) : 0;
  __m512 sums[kRows][2] = {};
  if (!is_first) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      sums[r][0] = _mm512_maskz_loadu_ps(near, y + r * width);
      sums[r][1] = _mm512_maskz_loadu_ps(far, y + r * width + kLanes);
    }
  }
  for (int64_t n = 0; n < pairs; ++n) {
    __m512i first = Load(right + n * 2 * kPairs);
    __m512i last = Load(right + n * 2 * kPairs + kPairs);
    RTF_IN_REGISTER(first);
    RTF_IN_REGISTER(last);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const __m512i value = Pair(left + (n * kRows + r) * 2);
      AddProducts(value, first, sums[r][0]);
      AddProducts(value, last, sums[r][1]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    _mm512_mask_storeu_ps(y + r * width, near, sums[r][0]);
    _mm512_mask_storeu_ps(y + r * width + kLanes, far, sums[r][1]);
  }
}

// Rounds `count` columns, up to 16, of `rows` rows: to [pairs, 16 or count, 2].
// A missing last row is zeros.
RTF_INLINE void CopyPairs(int64_t rows, const float* from, int64_t stride,
                          int64_t count, uint16_t* to, int64_t to_stride,
                          int64_t to_count) {
  const __mmask16 lanes = First16(count);
  const __mmask16 to_lanes = First16(to_count);
  for (int64_t n = 0; n < rows; n += 2) {
    const __m512 first = _mm512_maskz_loadu_ps(lanes, from + n * stride);
    const __m512 second = _mm512_maskz_loadu_ps(n + 1 < rows ? lanes : 0,
                                                from + (n + 1) * stride);
    _mm512_mask_storeu_epi32(to + n / 2 * to_stride, to_lanes,
                             RoundedPairs(first, second));
  }
}

// `max_rows`: how many are worked off at a time; even.
inline void RowProductOfRounded(const RowProduct<float>& args,
                                const RowProductPart& part, int64_t max_rows,
                                uint16_t* scratch) {
  const int64_t height = part.bottom - part.top;
  const int64_t num_tiles = (height + kMaxProductRows - 1) / kMaxProductRows;
  uint16_t* right = scratch;  // One panel.
  const int64_t block_rows = args.rows < max_rows ? args.rows : max_rows;
  uint16_t* left = scratch + (block_rows + 1) / 2 * 2 * kPairs;
  const auto top = [&](int64_t tile) { return tile * height / num_tiles; };
  int64_t first = 0;
  do {  // Once where there are no rows: for the zeros.
    const int64_t remaining = args.rows - first;
    const int64_t rows = remaining < block_rows ? remaining : block_rows;
    const int64_t pairs = (rows + 1) / 2;
    for (int64_t tile = 0; tile < num_tiles; ++tile) {
      const int64_t count = top(tile + 1) - top(tile);
      CopyPairs(rows, args.left + first * args.height + part.top + top(tile),
                args.height, count, left + top(tile) * pairs * 2, count * 2,
                count);
    }
    for (int64_t j = part.begin; j < part.end; j += 2 * kLanes) {
      const int64_t count =
          part.end - j < 2 * kLanes ? part.end - j : 2 * kLanes;
      const float* from = args.right + first * args.width + j;
      CopyPairs(rows, from, args.width, count, right, 2 * kPairs, kLanes);
      CopyPairs(rows, from + kLanes, args.width,
                count > kLanes ? count - kLanes : 0, right + kPairs, 2 * kPairs,
                kLanes);
      for (int64_t tile = 0; tile < num_tiles; ++tile) {
        float* y = args.y + (part.top + top(tile)) * args.width + j;
        WithConstant(top(tile + 1) - top(tile), [&](auto constant) {
          constexpr int kRows = decltype(constant)::value;
          if constexpr (kRows <= kMaxProductRows) {
            ProductTile<kRows>(pairs, left + top(tile) * pairs * 2, right, y,
                               args.width, first == 0, count);
          }
        });
      }
    }
    first += rows;
  } while (first < args.rows);
}
