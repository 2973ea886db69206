// The loops of lstm_gates.cc, for one SimdTarget. See for_each_simd_target.h.

// One vector of columns of one row. All is read before anything is written,
// because outputs may lie where inputs lie.
template <typename T, typename Lanes>
RTF_INLINE void GateColumns(const LstmGates<T>& args, int64_t row,
                            int64_t column, const Lanes lanes) {
  using V = typename Of<T>::Vector;
  const int64_t width = args.width;
  const int64_t num_gates = 3 + args.num_memories;
  const int64_t first = row * num_gates * width + column;
  const int64_t own = row * width + column;
  const T* gates = args.gates + first;
  T* activations = args.activations ? args.activations + first : nullptr;
  const T* bias = args.bias ? args.bias + column : nullptr;
  const auto gate = [&](int64_t index) RTF_INLINE_LAMBDA {
    const V x = lanes.Load(gates + index * width);
    return bias ? x + lanes.Load(bias + index * width) : x;
  };
  const auto keep = [&](int64_t index, V x) RTF_INLINE_LAMBDA {
    if (activations) lanes.Store(activations + index * width, x);
  };
  const V i = Sigmoid<T>(gate(0));
  const V o = Sigmoid<T>(gate(1));
  const V u = Tanh<T>(gate(num_gates - 1));
  keep(0, i);
  keep(1, o);
  keep(num_gates - 1, u);
  V c = i * u;
  for (int64_t k = 0; k < args.num_memories; ++k) {
    const V f = Sigmoid<T>(gate(2 + k));
    keep(2 + k, f);
    c += f * lanes.Load(args.memories[k] + own);
  }
  lanes.Store(args.c + own, c);
  lanes.Store(args.h + own, o * Tanh<T>(c));
}

template <typename T, typename Lanes>
RTF_INLINE void GateGradColumns(const LstmGatesGrad<T>& args, int64_t row,
                                int64_t column, const Lanes lanes) {
  using V = typename Of<T>::Vector;
  const int64_t width = args.width;
  const int64_t num_gates = 3 + args.num_memories;
  const int64_t first = row * num_gates * width + column;
  const int64_t own = row * width + column;
  const T* activations = args.activations + first;
  T* dgates = args.dgates + first;
  T* dbias = args.dbias ? args.dbias + column : nullptr;
  const auto activation = [&](int64_t index) RTF_INLINE_LAMBDA {
    return lanes.Load(activations + index * width);
  };
  const auto give = [&](int64_t index, V x) RTF_INLINE_LAMBDA {
    lanes.Store(dgates + index * width, x);
    if (dbias) {
      T* sum = dbias + index * width;
      lanes.Store(sum, lanes.Load(sum) + x);
    }
  };
  const V i = activation(0);
  const V o = activation(1);
  const V u = activation(num_gates - 1);
  const V dh = lanes.Load(args.dh + own);
  const V tanh_c = Tanh<T>(lanes.Load(args.c + own));
  const V dh_o = dh * o;
  const V dc = lanes.Load(args.dc + own) + dh_o * (T{1} - tanh_c * tanh_c);
  const V dc_i = dc * i;
  give(0, dc_i * u * (T{1} - i));
  give(1, dh_o * tanh_c * (T{1} - o));
  give(num_gates - 1, dc_i * (T{1} - u * u));
  for (int64_t k = 0; k < args.num_memories; ++k) {
    const V f = activation(2 + k);
    const V dc_f = dc * f;
    give(2 + k, dc_f * lanes.Load(args.memories[k] + own) * (T{1} - f));
    lanes.Store(args.dmemories[k] + own, dc_f);
  }
}

template <typename T>
void GateRows(const LstmGates<T>& args, int64_t begin, int64_t end) {
  const int64_t tail = args.width % Of<T>::kLanes;
  const int64_t whole = args.width - tail;
  const FirstLanes tail_lanes(tail);
  for (int64_t row = begin; row < end; ++row) {
    for (int64_t column = 0; column < whole; column += Of<T>::kLanes) {
      GateColumns(args, row, column, AllLanes());
    }
    if (tail > 0) GateColumns(args, row, whole, tail_lanes);
  }
}

template <typename T>
void GateGradRows(const LstmGatesGrad<T>& args, int64_t begin, int64_t end) {
  const int64_t tail = args.width % Of<T>::kLanes;
  const int64_t whole = args.width - tail;
  const FirstLanes tail_lanes(tail);
  for (int64_t row = begin; row < end; ++row) {
    for (int64_t column = 0; column < whole; column += Of<T>::kLanes) {
      GateGradColumns(args, row, column, AllLanes());
    }
    if (tail > 0) GateGradColumns(args, row, whole, tail_lanes);
  }
}
