// The product of gemm.cu on Hopper: result[m, n] = sum over k of x[m, k] * w[n, k], x tokens and w rows of weights in f16
// or bf16, sums in f32.
//
// Blocks are persistent, one on each multiprocessor, and take tiles of 128 tokens by N weights in turn, tokens fastest,
// so that blocks that run together share weights. A block has three warpgroups: one thread of the last has the copy
// engine fill a ring of STAGES buffers, each a step of 64 along k of both factors, and runs ahead into the next tile; the
// first two multiply 64 tokens each, and store their sums while the ring fills.
//
//     full[s]   completes when the boxes of buffer s are there
//     empty[s]  completes when both warpgroups have multiplied them
//
// Weights are rows without gaps, or units of 4 rows by 256 (unit_layout.cuh) as a tensor of {256, 4, k / 256, rows / 4}; in
// shared memory both are rows of 64. What is outside of a matrix arrives as zeros, and is not stored.
#include "bulk_copy.cuh"
#include "dot_rounding.cuh"
#include "unit_layout.cuh"
#include "wgmma.cuh"

static const int TOKENS = 128, STEP = 64, ROW_BYTES = STEP * 2, THREADS = 384;

extern __shared__ __align__(1024) u8 shared_memory[];

// A tile: its first row in both matrices, how many tokens it has, and its first column in the result.
struct TilePlace {
    int x_row, w_row, tokens, n0;
};

// The tiles of a product of two matrices, each of that many columns of the result.
struct MatrixTiles {
    int m, n, m_tiles, columns;
    __device__ __forceinline__ MatrixTiles(int tokens, int weights, int tile_columns)
        : m(tokens), n(weights), m_tiles((tokens + TOKENS - 1) / TOKENS), columns(tile_columns) {}
    __device__ __forceinline__ int count() const { return m_tiles * ((n + columns - 1) / columns); }
    __device__ __forceinline__ TilePlace at(int i) const {
        const int m0 = i % m_tiles * TOKENS, n0 = i / m_tiles * columns;
        return {m0, n0, m - m0 < TOKENS ? m - m0 : TOKENS, n0};
    }
};

// The tiles of grouped pairs (see group_pairs.cu); those left over have no tokens.
struct PairTiles {
    const int4 *tiles;
    int m_tiles, n, width, matrix_rows;
    __device__ __forceinline__ int count() const { return m_tiles * ((n + width - 1) / width); }
    __device__ __forceinline__ TilePlace at(int i) const {
        const int4 run = tiles[i % m_tiles];
        const int n0 = i / m_tiles * width;
        return {run.y, run.x * matrix_rows + n0, run.z, n0};
    }
};

template <int N, int STAGES> struct Ring {
    static const int X_BYTES = TOKENS * ROW_BYTES, W_BYTES = N * ROW_BYTES, STAGE_BYTES = X_BYTES + W_BYTES;
    u32 buffers, full, empty;
    int stage = 0;
    u32 parity;
    __device__ __forceinline__ Ring(u32 base, u32 barriers, u32 first_parity)
        : buffers(base), full(barriers), empty(barriers + STAGES * 8), parity(first_parity) {}
    __device__ __forceinline__ u32 buffer() const { return buffers + stage * STAGE_BYTES; }
    __device__ __forceinline__ u32 full_barrier() const { return full + stage * 8; }
    __device__ __forceinline__ u32 empty_barrier() const { return empty + stage * 8; }
    __device__ __forceinline__ void next() {
        if (++stage == STAGES) stage = 0, parity ^= 1;
    }
};

// The weights of a tile: two halves of N / 2 rows each, of one matrix or of two.
struct WeightHalves {
    const TensorMap *maps[2];
    // From the row of a tile to the first of its second half.
    int second_row;
    bool is_in_units;

    __device__ __forceinline__ void copy(int half, u32 target, int k, int w_row, u32 barrier) const {
        const int UNIT_STEP = UnitFormat<TYPE_F16>::STEP, row = w_row + half * second_row;
        if (is_in_units) copy_box(target, maps[half], k % UNIT_STEP, 0, k / UNIT_STEP, row / UNIT_ROWS, barrier);
        else copy_box(target, maps[half], k, row, barrier);
    }
};

template <int N, int STAGES, typename Tiles>
DEVICE void produce(Ring<N, STAGES> ring, const TensorMap *x, const WeightHalves &w, const Tiles &tiles, int k) {
    typedef Ring<N, STAGES> R;
    const int count = tiles.count();
    for (int i = blockIdx.x; i < count; i += gridDim.x) {
        const TilePlace tile = tiles.at(i);
        if (tile.tokens == 0) continue;
        for (int k0 = 0; k0 < k; k0 += STEP) {
            const u32 weights = ring.buffer() + R::X_BYTES;
            barrier_wait(ring.empty_barrier(), ring.parity);
            barrier_expect(ring.full_barrier(), R::STAGE_BYTES);
            copy_box(ring.buffer(), x, k0, tile.x_row, ring.full_barrier());
            w.copy(0, weights, k0, tile.w_row, ring.full_barrier());
            w.copy(1, weights + R::W_BYTES / 2, k0, tile.w_row, ring.full_barrier());
            ring.next();
        }
    }
}

// The sums of a row that a thread has: columns 2 * (lane % 4) of every eight and the one after it. `d` begins at the first.

// Rows of floats, with an addend of the same shape or one row for all.
template <int N> struct FloatRows {
    float *result;
    i64 row;
    const float *addend;
    i64 addend_row;
    int n;
    bool in_pairs;

    __device__ __forceinline__ void store(int x_row, bool is_token, int n0, const float *d) const {
        if (!is_token) return;
        float *out = result + x_row * row;
        const float *more = addend ? addend + x_row * addend_row : nullptr;
        if (in_pairs && n0 + N <= n) store_whole(out + n0, more ? more + n0 : nullptr, d);
        else store_part(out, more, d, n0);
    }

    // The addend may be what the result is stored over: each element is read before it is written. Several are read at
    // once, so that a thread does not wait for each.
    __device__ __forceinline__ void store_whole(float *out, const float *more, const float *d) const {
        const int first = threadIdx.x % 4 * 2, AT_ONCE = N % 128 == 0 ? 16 : 8;
#pragma unroll
        for (int c = 0; c < N / 8; c += AT_ONCE) {
            float2 v[AT_ONCE];
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) {
                v[i] = more ? *(const float2 *) (more + first + (c + i) * 8) : make_float2(0, 0);
            }
#pragma unroll
            for (int i = 0; i < AT_ONCE; i++) {
                const int j = (c + i) * 4;
                *(float2 *) (out + first + (c + i) * 8) = make_float2(d[j] + v[i].x, d[j + 1] + v[i].y);
            }
        }
    }

    __device__ __forceinline__ void store_part(float *out, const float *more, const float *d, int n0) const {
#pragma unroll
        for (int c = 0; c < N / 4; c++) {
            const int at = n0 + threadIdx.x % 4 * 2 + c / 2 * 8 + c % 2;
            if (at < n) out[at] = d[c / 2 * 4 + c % 2] + (more ? more[at] : 0.0f);
        }
    }
};

// Rows of floats of grouped pairs.
template <int N> struct PairRows {
    float *result;
    i64 row1, row2;
    const int *pairs;
    int used, n;
    bool in_pairs;

    __device__ __forceinline__ void store(int x_row, bool is_token, int n0, const float *d) const {
        if (!is_token) return;
        const int pair = pairs[x_row];
        const FloatRows<N> rows = {result + pair % used * row1 + pair / used * row2, 0, nullptr, 0, n, in_pairs};
        rows.store(0, true, n0, d);
    }
};

// Gated units of the sums of a gate and those of another matrix; as in glu.cuh, but for the last bits.
DEVICE float swiglu(float gate, float up) { return __fdividef(gate, 1 + __expf(-gate)) * up; }
DEVICE float geglu(float gate, float up) {
    if (gate <= -10) return 0;
    const float cubic = 0.79788456080286535588f * gate * (1 + 0.044715f * gate * gate);
    // (1 + tanh(z)) / 2 = 1 / (1 + exp(-2 z))
    return (gate >= 10 ? gate : __fdividef(gate, 1 + __expf(-2 * cubic))) * up;
}

// Lane t of four has word i of row i; afterwards it has words 0 to 3 of row t: the four lanes exchange a matrix of words.
DEVICE uint4 transposed(const u32 (&p)[4]) {
    const bool odd = threadIdx.x & 1, high = threadIdx.x & 2;
    const u32 a = __shfl_xor_sync(0xffffffffu, odd ? p[0] : p[1], 1), b = __shfl_xor_sync(0xffffffffu, odd ? p[2] : p[3], 1);
    const u32 q0 = odd ? a : p[0], q1 = odd ? p[1] : a, q2 = odd ? b : p[2], q3 = odd ? p[3] : b;
    const u32 c = __shfl_xor_sync(0xffffffffu, high ? q0 : q2, 2), d = __shfl_xor_sync(0xffffffffu, high ? q1 : q3, 2);
    return high ? make_uint4(c, d, q2, q3) : make_uint4(q0, q1, c, d);
}

// Rows of halves, rounded as the tokens of the next product: a gated unit of the first half of the weights, the gate, and
// the second.
template <int N, bool BFLOAT> struct GatedRows {
    static const int COLUMNS = N / 2;
    u16 *result;
    i64 row;
    int n; // a multiple of 32
    bool is_geglu, is_in_blocks;

    // Four lanes have a row: 32 columns of it at a time, eight of which are those of a lane.
    __device__ __forceinline__ void store(int x_row, bool is_token, int n0, const float *d) const {
        u16 *out = result + x_row * row + n0 + threadIdx.x % 4 * 8;
#pragma unroll
        for (int c = 0; c < COLUMNS / 8; c += 4) {
            float v[8];
#pragma unroll
            for (int i = 0; i < 8; i++) {
                const int at = (c + i / 2) * 4 + i % 2;
                v[i] = is_geglu ? geglu(d[at], d[at + N / 4]) : swiglu(d[at], d[at + N / 4]);
            }
            if (is_in_blocks) round_to_eight_bits<32>(v);
            u32 words[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                words[i] = BFLOAT ? float_to_bfloat(v[2 * i]) | (u32) float_to_bfloat(v[2 * i + 1]) << 16
                                  : float_to_half(v[2 * i]) | (u32) float_to_half(v[2 * i + 1]) << 16;
            }
            const uint4 eight = transposed(words);
            if (is_token && n0 + c * 8 < n) *(uint4 *) (out + c * 8) = eight;
        }
    }
};

template <int N, int STAGES, bool BFLOAT, typename Tiles, typename Rows>
DEVICE void consume(Ring<N, STAGES> ring, const Tiles &tiles, const Rows &rows, int k) {
    const int group = threadIdx.x / 128, thread = threadIdx.x % 128, count = tiles.count();
    for (int i = blockIdx.x; i < count; i += gridDim.x) {
        const TilePlace tile = tiles.at(i);
        if (tile.tokens == 0) continue;
        float d[N / 2];
        u32 multiplied = 0;
        for (int k0 = 0; k0 < k; k0 += STEP) {
            barrier_wait(ring.full_barrier(), ring.parity);
            const u64 a = matrix_descriptor(ring.buffer() + group * 64 * ROW_BYTES);
            const u64 b = matrix_descriptor(ring.buffer() + Ring<N, STAGES>::X_BYTES);
            wgmma_fence();
#pragma unroll
            for (int j = 0; j < STEP / 16; j++) wgmma<N, BFLOAT>(d, a + j * 2, b + j * 2, k0 | j);
            wgmma_commit();
            // One step stays under way; the buffer of the step before it is free.
            if (multiplied) {
                wgmma_wait<1>();
                if (thread == 0) barrier_arrive(multiplied);
            }
            multiplied = ring.empty_barrier();
            ring.next();
        }
        wgmma_wait<0>();
        if (thread == 0) barrier_arrive(multiplied);

        const int row = group * 64 + thread / 32 * 16 + thread % 32 / 4;
#pragma unroll
        for (int half = 0; half < 2; half++) {
            const int token = row + half * 8;
            rows.store(tile.x_row + token, token < tile.tokens, tile.n0, d + half * 2);
        }
    }
}

template <int N, int STAGES, bool BFLOAT, typename Tiles, typename Rows>
DEVICE void gemm(const TensorMap *x, const WeightHalves &w, const Tiles &tiles, const Rows &rows, int k) {
    __shared__ __align__(8) u64 barriers[2 * STAGES];
    const u32 base = (shared_address(shared_memory) + 1023) & ~1023u, first = shared_address(barriers);
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(first + s * 8, 1);
            barrier_init(first + (STAGES + s) * 8, 2);
        }
        barrier_fence();
    }
    __syncthreads();
    pdl_launch_dependents();
    pdl_wait();
    if (threadIdx.x >= 256) {
        give_registers<40>();
        if (threadIdx.x == 256) produce(Ring<N, STAGES>(base, first, 1), x, w, tiles, k);
    } else {
        take_registers<232>();
        consume<N, STAGES, BFLOAT>(Ring<N, STAGES>(base, first, 0), tiles, rows, k);
    }
}

// Rows of the result begin where pairs of floats are aligned.
DEVICE bool has_aligned_rows(const float *result, i64 row1, i64 row2) {
    return ((u64) result & 7) == 0 && ((row1 | row2) & 1) == 0;
}

#define PRODUCT(name, width, stages, bfloat) \
    KERNEL __launch_bounds__(THREADS, 1) gemm_sm90_##name(const __grid_constant__ TensorMap x, \
            const __grid_constant__ TensorMap w, int in_units, float *result, i64 r_row, const float *addend, \
            i64 addend_row, int m, int n, int k) { \
        const WeightHalves halves = {{&w, &w}, width / 2, in_units != 0}; \
        const FloatRows<width> rows = {result, r_row, addend, addend_row, n, \
                has_aligned_rows(result, r_row, 0) && has_aligned_rows(addend, addend_row, 0)}; \
        gemm<width, stages, bfloat>(&x, halves, MatrixTiles(m, n, width), rows, k); \
    }
#define PAIRS(name, width, stages, bfloat) \
    KERNEL __launch_bounds__(THREADS, 1) gemm_sm90_pairs_##name(const __grid_constant__ TensorMap x, \
            const __grid_constant__ TensorMap w, int in_units, int w_matrix_rows, float *result, i64 r1, i64 r2, \
            const int *pairs, const int4 *tiles, int m_tiles, int used, int n, int k) { \
        const WeightHalves halves = {{&w, &w}, width / 2, in_units != 0}; \
        const PairTiles places = {tiles, m_tiles, n, width, w_matrix_rows}; \
        const PairRows<width> rows = {result, r1, r2, pairs, used, n, has_aligned_rows(result, r1, r2)}; \
        gemm<width, stages, bfloat>(&x, halves, places, rows, k); \
    }
#define GATED(name, width, stages, bfloat) \
    KERNEL __launch_bounds__(THREADS, 1) gemm_sm90_gated_##name(const __grid_constant__ TensorMap x, \
            const __grid_constant__ TensorMap w_gate, const __grid_constant__ TensorMap w_up, int in_units, int is_geglu, \
            int in_blocks, u16 *result, i64 r_row, int m, int n, int k) { \
        const WeightHalves halves = {{&w_gate, &w_up}, 0, in_units != 0}; \
        const GatedRows<width, bfloat> rows = {result, r_row, n, is_geglu != 0, in_blocks != 0}; \
        gemm<width, stages, bfloat>(&x, halves, MatrixTiles(m, n, width / 2), rows, k); \
    }
#define GEMM(name, width, stages, bfloat) \
    PRODUCT(name, width, stages, bfloat) \
    PAIRS(name, width, stages, bfloat) \
    GATED(name, width, stages, bfloat)
GEMM(64_f16, 64, 8, false)
GEMM(128_f16, 128, 6, false)
GEMM(192_f16, 192, 5, false)
GEMM(256_f16, 256, 4, false)
GEMM(64_bf16, 64, 8, true)
GEMM(128_bf16, 128, 6, true)
GEMM(192_bf16, 192, 5, true)
GEMM(256_bf16, 256, 4, true)
