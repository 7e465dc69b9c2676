// The product of gemm.cu on Hopper: result[m, n] = sum over k of x[m, k] * w[n, k], x tokens and w rows of weights in f16
// or bf16, sums and results in f32.
//
// Blocks are persistent, one on each multiprocessor, and take tiles of 128 tokens by N weights in turn, tokens fastest,
// so that blocks that run together share weights. A block has three warpgroups: one thread of the last has the copy
// engine fill a ring of STAGES buffers, each a step of 64 along k of both factors, and runs ahead into the next tile; the
// first two multiply 64 tokens each, and store their sums while the ring fills.
//
//     full[s]   completes when the boxes of buffer s are there
//     empty[s]  completes when both warpgroups have multiplied them
//
// What is outside of a matrix arrives as zeros, and is not stored.
#include "bulk_copy.cuh"
#include "wgmma.cuh"

static const int TOKENS = 128, STEP = 64, ROW_BYTES = STEP * 2, THREADS = 384;

extern __shared__ __align__(1024) u8 shared_memory[];

// A tile: its first row in both matrices, how many tokens it has, and its first weight in the result.
struct TilePlace {
    int x_row, w_row, tokens, n0;
};

// The tiles of a product of two matrices.
struct MatrixTiles {
    int m, n, m_tiles, width;
    __device__ __forceinline__ MatrixTiles(int tokens, int weights, int tile_width)
        : m(tokens), n(weights), m_tiles((tokens + TOKENS - 1) / TOKENS), width(tile_width) {}
    __device__ __forceinline__ int count() const { return m_tiles * ((n + width - 1) / width); }
    __device__ __forceinline__ TilePlace at(int i) const {
        const int m0 = i % m_tiles * TOKENS, n0 = i / m_tiles * width;
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

// The rows of the result that belong to tokens, with an addend of the same shape or one row for all.
struct MatrixRows {
    float *result;
    i64 row;
    const float *addend;
    i64 addend_row;
    __device__ __forceinline__ float *at(int x_row) const { return result + x_row * row; }
    __device__ __forceinline__ const float *addend_at(int x_row) const {
        return addend ? addend + x_row * addend_row : nullptr;
    }
};
struct PairRows {
    float *result;
    i64 row1, row2;
    const int *pairs;
    int used;
    __device__ __forceinline__ float *at(int x_row) const {
        const int pair = pairs[x_row];
        return result + pair % used * row1 + pair / used * row2;
    }
    __device__ __forceinline__ const float *addend_at(int) const { return nullptr; }
};

template <int N, int STAGES> struct Ring {
    static const int X_BYTES = TOKENS * ROW_BYTES, STAGE_BYTES = X_BYTES + N * ROW_BYTES;
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

template <int N, int STAGES, typename Tiles>
DEVICE void produce(Ring<N, STAGES> ring, const TensorMap *x, const TensorMap *w, const Tiles &tiles, int k) {
    const int count = tiles.count();
    for (int i = blockIdx.x; i < count; i += gridDim.x) {
        const TilePlace tile = tiles.at(i);
        if (tile.tokens == 0) continue;
        for (int k0 = 0; k0 < k; k0 += STEP) {
            barrier_wait(ring.empty_barrier(), ring.parity);
            barrier_expect(ring.full_barrier(), Ring<N, STAGES>::STAGE_BYTES);
            copy_box(ring.buffer(), x, k0, tile.x_row, ring.full_barrier());
            copy_box(ring.buffer() + Ring<N, STAGES>::X_BYTES, w, k0, tile.w_row, ring.full_barrier());
            ring.next();
        }
    }
}

// Stores N sums of a row: columns 2 * (lane % 4) of every eight and the one after it. `d` begins at the row's first sum.
template <int N> DEVICE void store_row(float *out, const float *addend, const float *d, int n0, int n, bool in_pairs) {
    const int first = n0 + threadIdx.x % 4 * 2;
#pragma unroll
    for (int c = 0; c < N / 8; c++) {
        const int at = first + c * 8;
        float low = d[c * 4], high = d[c * 4 + 1];
        if (at + 1 < n) {
            if (addend) low += addend[at], high += addend[at + 1];
            if (in_pairs) {
                *(float2 *) (out + at) = make_float2(low, high);
            } else {
                out[at] = low;
                out[at + 1] = high;
            }
        } else if (at < n) {
            out[at] = low + (addend ? addend[at] : 0.0f);
        }
    }
}

template <int N, int STAGES, bool BFLOAT, typename Tiles, typename Rows>
DEVICE void consume(Ring<N, STAGES> ring, const Tiles &tiles, const Rows &rows, int n, int k, bool in_pairs) {
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
            if (token < tile.tokens) {
                const int x_row = tile.x_row + token;
                store_row<N>(rows.at(x_row), rows.addend_at(x_row), d + half * 2, tile.n0, n, in_pairs);
            }
        }
    }
}

template <int N, int STAGES, bool BFLOAT, typename Tiles, typename Rows>
DEVICE void gemm(const TensorMap *x, const TensorMap *w, const Tiles &tiles, const Rows &rows, int n, int k, bool in_pairs) {
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
        consume<N, STAGES, BFLOAT>(Ring<N, STAGES>(base, first, 0), tiles, rows, n, k, in_pairs);
    }
}

// Rows of the result begin where pairs of floats are aligned.
DEVICE bool has_aligned_rows(const float *result, i64 row1, i64 row2) {
    return ((u64) result & 7) == 0 && ((row1 | row2) & 1) == 0;
}

#define GEMM(name, width, stages, bfloat) \
    KERNEL __launch_bounds__(THREADS, 1) gemm_sm90_##name(const __grid_constant__ TensorMap x, \
            const __grid_constant__ TensorMap w, float *result, i64 r_row, const float *addend, i64 addend_row, int m, \
            int n, int k) { \
        const MatrixRows rows = {result, r_row, addend, addend_row}; \
        gemm<width, stages, bfloat>(&x, &w, MatrixTiles(m, n, width), rows, n, k, has_aligned_rows(result, r_row, 0)); \
    } \
    KERNEL __launch_bounds__(THREADS, 1) gemm_sm90_pairs_##name(const __grid_constant__ TensorMap x, \
            const __grid_constant__ TensorMap w, int w_matrix_rows, float *result, i64 r1, i64 r2, const int *pairs, \
            const int4 *tiles, int m_tiles, int used, int n, int k) { \
        const PairTiles places = {tiles, m_tiles, n, width, w_matrix_rows}; \
        const PairRows rows = {result, r1, r2, pairs, used}; \
        gemm<width, stages, bfloat>(&x, &w, places, rows, n, k, has_aligned_rows(result, r1, r2)); \
    }
GEMM(64_f16, 64, 8, false)
GEMM(128_f16, 128, 6, false)
GEMM(192_f16, 192, 5, false)
GEMM(256_f16, 256, 4, false)
GEMM(64_bf16, 64, 8, true)
GEMM(128_bf16, 128, 6, true)
GEMM(192_bf16, 192, 5, true)
GEMM(256_bf16, 256, 4, true)
