// The loops of row_product.cc, for one SimdTarget. See for_each_simd_target.h.

#if RECURSIVE_TF_SIMD_BYTES == 64
constexpr int kMaxTileRows = 12;  // 2 vectors each: 24 of 32 registers.
#else
constexpr int kMaxTileRows = 6;  // 2 vectors each: 12 of 16 registers.
#endif
constexpr int kPanelVectors = 2;

// A tile of y, kRows high and kVectors wide, plus (or, where `is_first`,
// becomes) the product of `rows` rows of left, which lie `stride` apart and of
// which kRows columns count, and of the copies of right, [rows, kVectors *
// kLanes]. `lanes`: those of the last vector.
template <typename T, int kRows, int kVectors, typename Lanes>
RTF_INLINE void Tile(int64_t rows, const T* left, int64_t stride,
                     const T* right, T* y, int64_t width, bool is_first,
                     const Lanes lanes) {
  using V = typename Of<T>::Vector;
  constexpr int kLanes = Of<T>::kLanes;
  V sums[kRows][kVectors] = {};
  if (!is_first) {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      T* row = y + r * width;
      if (kVectors == 2) sums[r][0] = AllLanes().Load(row);
      sums[r][kVectors - 1] = lanes.Load(row + (kVectors - 1) * kLanes);
    }
  }
  for (int64_t n = 0; n < rows; ++n) {
    // No array: GCC 12 would write it to the stack in each step.
    V first = AllLanes().Load(right + n * kVectors * kLanes);
    V last = AllLanes().Load(right + ((n + 1) * kVectors - 1) * kLanes);
    RTF_IN_REGISTER(first);
    RTF_IN_REGISTER(last);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const V value = left[n * stride + r] - V{};
      if (kVectors == 2) sums[r][0] += value * first;
      sums[r][kVectors - 1] += value * last;
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    T* row = y + r * width;
    if (kVectors == 2) AllLanes().Store(row, sums[r][0]);
    lanes.Store(row + (kVectors - 1) * kLanes, sums[r][kVectors - 1]);
  }
}

// Copies `count` columns of `rows` rows, side by side.
template <typename T, int kCount>
void CopyColumns(int64_t rows, const T* from, int64_t stride, T* to) {
  for (int64_t n = 0; n < rows; ++n) {
    __builtin_memcpy(to + n * kCount, from + n * stride, kCount * sizeof(T));
  }
}

// As CopyColumns, with zeros up to whole vectors.
template <typename T, int kVectors, typename Lanes>
void CopyPanel(int64_t rows, const T* from, int64_t stride, T* to,
               const Lanes lanes) {
  constexpr int kLanes = Of<T>::kLanes;
  for (int64_t n = 0; n < rows; ++n) {
    const T* row = from + n * stride;
    T* copy = to + n * kVectors * kLanes;
    if (kVectors == 2) AllLanes().Store(copy, AllLanes().Load(row));
    AllLanes().Store(copy + (kVectors - 1) * kLanes,
                     lanes.Load(row + (kVectors - 1) * kLanes));
  }
}

// Calls `call` with a constant equal to `count`, 1 to kMaxTileRows.
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
#if RECURSIVE_TF_SIMD_BYTES == 64
    RTF_CASE(7)
    RTF_CASE(8)
    RTF_CASE(9)
    RTF_CASE(10)
    RTF_CASE(11)
    RTF_CASE(12)
#endif
#undef RTF_CASE
  }
}

// One block of rows of the operands: [first, first + rows).
template <typename T>
struct RowBlock {
  const RowProduct<T>& args;
  const RowProductPart& part;
  int64_t first;
  int64_t rows;
  int64_t num_tiles;  // On top of each other.
  T* right;           // One panel.
  T* left;            // One tile's columns after the other's; null: no copies.

  // The first column of left, and row of y, of a tile: as even as can be.
  RTF_INLINE int64_t Top(int64_t tile) const {
    return tile * (part.bottom - part.top) / num_tiles;
  }
};

template <typename T>
void CopyLeft(const RowBlock<T>& block) {
  const int64_t stride = block.args.height;
  const T* from = block.args.left + block.first * stride + block.part.top;
  for (int64_t tile = 0; tile < block.num_tiles; ++tile) {
    const int64_t top = block.Top(tile);
    T* to = block.left + top * block.rows;
    WithConstant(block.Top(tile + 1) - top, [&](auto count) {
      CopyColumns<T, decltype(count)::value>(block.rows, from + top, stride,
                                             to);
    });
  }
}

// Asks for a share of what the panel after that at `column` will copy, and of
// the next block's left. Their rows lie so far apart that the processor does
// not foresee them: with thousands of rows, which no near cache holds, waiting
// for them would double the time. `tile` numbers the shares.
template <typename T>
RTF_INLINE void PrefetchShare(const RowBlock<T>& block, int64_t column,
                              int64_t tile) {
  constexpr int64_t kPanel = kPanelVectors * Of<T>::kLanes;
  constexpr int64_t kLine = 64 / sizeof(T);
  const RowProduct<T>& args = block.args;
  const RowProductPart& part = block.part;
  const int64_t next = block.first + block.rows;
  const int64_t left = args.rows - next;
  const int64_t next_rows = left < block.rows ? left : block.rows;

  const int64_t num_panels = (part.end - part.begin + kPanel - 1) / kPanel;
  const int64_t num_shares = num_panels * block.num_tiles;
  const int64_t share = (column - part.begin) / kPanel * block.num_tiles + tile;
  const int64_t last = (share + 1) * next_rows / num_shares;
  for (int64_t n = share * next_rows / num_shares; n < last; ++n) {
    const T* row = args.left + (next + n) * args.height;
    for (int64_t i = part.top; i < part.bottom; i += kLine) {
      __builtin_prefetch(row + i, /*rw=*/0, /*locality=*/2);
    }
  }

  const bool is_last_panel = column + kPanel >= part.end;
  const int64_t first = is_last_panel ? next : block.first;
  const int64_t rows = is_last_panel ? next_rows : block.rows;
  const T* from = args.right + (is_last_panel ? part.begin : column + kPanel);
  const int64_t end = (tile + 1) * rows / block.num_tiles;
  for (int64_t n = tile * rows / block.num_tiles; n < end; ++n) {
    const T* row = from + (first + n) * args.width;
    for (int64_t i = 0; i < kPanel; i += kLine) __builtin_prefetch(row + i);
    __builtin_prefetch(row + kPanel - 1);
  }
}

// All tiles of the kVectors vectors of columns from `column` on.
template <typename T, int kVectors, typename Lanes>
void Panel(const RowBlock<T>& block, int64_t column, const Lanes lanes) {
  const int64_t width = block.args.width;
  CopyPanel<T, kVectors>(block.rows,
                         block.args.right + block.first * width + column, width,
                         block.right, lanes);
  for (int64_t tile = 0; tile < block.num_tiles; ++tile) {
    const int64_t top = block.Top(tile);
    const int64_t row = block.part.top + top;
    T* y = block.args.y + row * width + column;
    PrefetchShare(block, column, tile);
    WithConstant(block.Top(tile + 1) - top, [&](auto count) {
      constexpr int kRows = decltype(count)::value;
      const int64_t height = block.args.height;
      const bool is_copied = block.left != nullptr;
      Tile<T, kRows, kVectors>(
          block.rows,
          is_copied ? block.left + top * block.rows
                    : block.args.left + block.first * height + row,
          is_copied ? kRows : height, block.right, y, width, block.first == 0,
          lanes);
    });
  }
}

// `scratch`: block_rows rows of a panel, and of the part of left if it is
// copied.
template <typename T>
void Product(const RowProduct<T>& args, const RowProductPart& part,
             int64_t block_rows, T* scratch) {
  constexpr int64_t kLanes = Of<T>::kLanes;
  const int64_t height = part.bottom - part.top;
  const int64_t num_tiles = (height + kMaxTileRows - 1) / kMaxTileRows;
  RowBlock<T> block = {args, part, 0, 0, num_tiles, scratch, nullptr};
  if (CopiesLeft<T>(part)) {
    block.left = scratch + block_rows * kPanelVectors * kLanes;
  }
  do {  // Once where there are no rows: for the zeros.
    block.rows = args.rows - block.first;
    if (block.rows > block_rows) block.rows = block_rows;
    if (block.left != nullptr) CopyLeft(block);
    int64_t j = part.begin;
    for (; j + 2 * kLanes <= part.end; j += 2 * kLanes) {
      Panel<T, 2>(block, j, AllLanes());
    }
    if (j + kLanes < part.end) {
      Panel<T, 2>(block, j, FirstLanes(part.end - j - kLanes));
    } else if (j < part.end) {
      Panel<T, 1>(block, j, FirstLanes(part.end - j));
    }
    block.first += block.rows;
  } while (block.first < args.rows);
}
