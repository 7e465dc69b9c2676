// result[m, n] = sum over k of x[m, k] * w[n, k] on tensor cores: x are tokens, w rows of weights, both f16 or bf16 with
// k innermost; sums and results are f32. For sm_80 and later; gemm_sm90.cu is faster on Hopper.
//
// A block computes a tile of TOKENS x WEIGHTS, with k in steps of 64: a step is 128 bytes of every row, copied
// asynchronously into one of STAGES buffers of shared memory. Rows are eight pieces of 16 bytes; piece p of row r is
// stored at place p ^ (r % 8), so that the eight rows that ldmatrix reads at once are in different banks. k is a multiple
// of 8; everything outside of the matrices is zero in shared memory, and not stored.
#include "tensor_core.cuh"

static const int STEP = 64;
static const int ROW_BYTES = STEP * 2;

extern __shared__ __align__(128) u8 shared_memory[];

template <int TOKENS_, int WEIGHTS_, int WARPS_M, int WARPS_N, int STAGES> struct Shape {
    static const int TOKENS = TOKENS_, WEIGHTS = WEIGHTS_, THREADS = WARPS_M * WARPS_N * 32, STAGE_COUNT = STAGES;
    static const int WARP_TOKENS = TOKENS / WARPS_M, WARP_WEIGHTS = WEIGHTS / WARPS_N;
    static const int M_FRAGMENTS = WARP_TOKENS / 16, N_FRAGMENTS = WARP_WEIGHTS / 8;
    static const int STAGE_BYTES = (TOKENS + WEIGHTS) * ROW_BYTES;
    DEVICE int first_token() { return threadIdx.x / 32 / WARPS_N * WARP_TOKENS; }
    DEVICE int first_weight() { return threadIdx.x / 32 % WARPS_N * WARP_WEIGHTS; }
};
typedef Shape<128, 128, 2, 4, 3> Large;  // 96 KiB of shared memory, the most that sm_86 and sm_89 have
typedef Shape<64, 64, 2, 2, 4> Small;    // 64 KiB

// The rows of one factor that a tile needs.
struct TileRows {
    const u16 *rows;
    i64 stride;  // elements
    int count;   // those after it are zero
};

template <typename S, bool BFLOAT> struct Tile {
    float sum[S::M_FRAGMENTS][S::N_FRAGMENTS][4];

    static __device__ __forceinline__ u32 place(u32 stage, int row, int piece) {
        return stage + row * ROW_BYTES + (piece ^ row % 8) * 16;
    }

    // Copies 128 bytes of ROWS rows; a thread copies the same piece of every row it copies.
    template <int ROWS> static __device__ __forceinline__ void copy(const TileRows &from, int k0, int k, u32 target) {
        const int piece = threadIdx.x % 8, at = k0 + piece * 8;
#pragma unroll
        for (int i = 0; i < ROWS * 8 / S::THREADS; i++) {
            const int row = i * (S::THREADS / 8) + threadIdx.x / 8;
            const bool exists = row < from.count && at < k;
            copy_async(place(target, row, piece), exists ? from.rows + row * from.stride + at : from.rows, exists ? 16 : 0);
        }
    }
    static __device__ __forceinline__ void copy(const TileRows &x, const TileRows &w, int k0, int k, u32 stage) {
        copy<S::TOKENS>(x, k0, k, stage);
        copy<S::WEIGHTS>(w, k0, k, stage + S::TOKENS * ROW_BYTES);
    }

    __device__ __forceinline__ void multiply(u32 stage) {
        const int lane = threadIdx.x % 32;
        const u32 weights = stage + S::TOKENS * ROW_BYTES;
#pragma unroll
        for (int piece = 0; piece < STEP / 8; piece += 2) {
            u32 a[S::M_FRAGMENTS][4], b[S::N_FRAGMENTS / 2][4];
#pragma unroll
            for (int i = 0; i < S::M_FRAGMENTS; i++)
                load_matrices(place(stage, S::first_token() + i * 16 + lane % 16, piece + lane / 16), a[i]);
            // Two fragments of eight weights at once.
#pragma unroll
            for (int j = 0; j < S::N_FRAGMENTS / 2; j++)
                load_matrices(place(weights, S::first_weight() + j * 16 + lane / 16 * 8 + lane % 8, piece + lane / 8 % 2), b[j]);
#pragma unroll
            for (int i = 0; i < S::M_FRAGMENTS; i++) {
#pragma unroll
                for (int j = 0; j < S::N_FRAGMENTS; j++)
                    mma<BFLOAT>(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
            }
        }
    }

    __device__ __forceinline__ void compute(const TileRows &x, const TileRows &w, int k) {
        const u32 base = shared_address(shared_memory);
        const int steps = (k + STEP - 1) / STEP;
#pragma unroll
        for (int i = 0; i < S::M_FRAGMENTS; i++)
#pragma unroll
            for (int j = 0; j < S::N_FRAGMENTS; j++)
#pragma unroll
                for (int e = 0; e < 4; e++) sum[i][j][e] = 0;
#pragma unroll
        for (int s = 0; s < S::STAGE_COUNT - 1; s++) {
            if (s < steps) copy(x, w, s * STEP, k, base + s * S::STAGE_BYTES);
            copy_async_commit();
        }
        int stage = 0, next = S::STAGE_COUNT - 1;
        for (int s = 0; s < steps; s++) {
            copy_async_wait<S::STAGE_COUNT - 2>();
            // Step s is there for all threads, and all are done with the step before it, whose buffer is filled next.
            __syncthreads();
            if (s + S::STAGE_COUNT - 1 < steps)
                copy(x, w, (s + S::STAGE_COUNT - 1) * STEP, k, base + next * S::STAGE_BYTES);
            copy_async_commit();
            multiply(base + stage * S::STAGE_BYTES);
            stage = stage + 1 == S::STAGE_COUNT ? 0 : stage + 1;
            next = next + 1 == S::STAGE_COUNT ? 0 : next + 1;
        }
    }

    // Calls use(token, weight, two neighbouring sums) with indices within the tile.
    template <typename Use> __device__ __forceinline__ void for_each(Use use) {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < S::M_FRAGMENTS; i++) {
#pragma unroll
            for (int j = 0; j < S::N_FRAGMENTS; j++) {
                const int m = S::first_token() + i * 16 + lane / 4, n = S::first_weight() + j * 8 + lane % 4 * 2;
                use(m, n, sum[i][j][0], sum[i][j][1]);
                use(m + 8, n, sum[i][j][2], sum[i][j][3]);
            }
        }
    }
};

// Stores two neighbours of a row of the result, of which the second may be outside.
DEVICE void store_pair(float *out, const float *addend, int n, int count, float first, float second) {
    if (n + 1 < count) {
        if (addend) first += addend[n], second += addend[n + 1];
        if (((u64) (out + n) & 7) == 0) {
            *(float2 *) (out + n) = make_float2(first, second);
        } else {
            out[n] = first;
            out[n + 1] = second;
        }
    } else if (n < count) {
        out[n] = first + (addend ? addend[n] : 0.0f);
    }
}

// Matrices are blockIdx.z; matrix (i2, i3) of the result reads matrix i2 / share2, i3 / share3 of w. Strides of x and w
// are in elements of 2 bytes, those of result and addend in floats; `addend` may be null or have a stride of 0.
template <typename S, bool BFLOAT>
DEVICE void gemm(const u16 *x, i64 x_row, i64 x_matrix, const u16 *w, i64 w_row, i64 w2, i64 w3, float *result, i64 r_row,
        i64 r2, i64 r3, const float *addend, i64 addend_row, int m, int n, int k, int matrices2, int share2, int share3) {
    pdl_launch_dependents();
    pdl_wait();
    const int i2 = blockIdx.z % matrices2, i3 = blockIdx.z / matrices2;
    const int m0 = blockIdx.x * S::TOKENS, n0 = blockIdx.y * S::WEIGHTS;
    const TileRows tokens = {x + blockIdx.z * x_matrix + m0 * x_row, x_row, m - m0};
    const TileRows weights = {w + i2 / share2 * w2 + i3 / share3 * w3 + n0 * w_row, w_row, n - n0};
    Tile<S, BFLOAT> tile;
    tile.compute(tokens, weights, k);
    float *out = result + i2 * r2 + i3 * r3;
    tile.for_each([&](int i, int j, float first, float second) {
        if (m0 + i < m) {
            const float *add = addend ? addend + (m0 + i) * addend_row : nullptr;
            store_pair(out + (m0 + i) * r_row, add, n0 + j, n, first, second);
        }
    });
}

// The pairs of a MUL_MAT_ID (see group_pairs.cu): tile blockIdx.x has rows of x that all meet matrix tiles[].x of w, and
// go to (pair % used, pair / used) of the result.
template <typename S, bool BFLOAT>
DEVICE void gemm_pairs(const u16 *x, i64 x_row, const u16 *w, i64 w_row, i64 w_matrix, float *result, i64 r1, i64 r2,
        const int *pairs, const int4 *tiles, int used, int n, int k) {
    pdl_launch_dependents();
    pdl_wait();
    const int4 run = tiles[blockIdx.x];
    if (run.z == 0) return;
    const int n0 = blockIdx.y * S::WEIGHTS;
    const TileRows tokens = {x + run.y * x_row, x_row, run.z};
    const TileRows weights = {w + run.x * w_matrix + n0 * w_row, w_row, n - n0};
    Tile<S, BFLOAT> tile;
    tile.compute(tokens, weights, k);
    tile.for_each([&](int i, int j, float first, float second) {
        if (i < run.z) {
            const int pair = pairs[run.y + i];
            store_pair(result + pair % used * r1 + pair / used * r2, nullptr, n0 + j, n, first, second);
        }
    });
}

#define GEMM(name, shape, bfloat) \
    KERNEL __launch_bounds__(shape::THREADS) gemm_##name(const u16 *x, i64 x_row, i64 x_matrix, const u16 *w, i64 w_row, \
            i64 w2, i64 w3, float *result, i64 r_row, i64 r2, i64 r3, const float *addend, i64 addend_row, int m, int n, \
            int k, int matrices2, int share2, int share3) { \
        gemm<shape, bfloat>(x, x_row, x_matrix, w, w_row, w2, w3, result, r_row, r2, r3, addend, addend_row, m, n, k, \
                matrices2, share2, share3); \
    } \
    KERNEL __launch_bounds__(shape::THREADS) gemm_pairs_##name(const u16 *x, i64 x_row, const u16 *w, i64 w_row, \
            i64 w_matrix, float *result, i64 r1, i64 r2, const int *pairs, const int4 *tiles, int used, int n, int k) { \
        gemm_pairs<shape, bfloat>(x, x_row, w, w_row, w_matrix, result, r1, r2, pairs, tiles, used, n, k); \
    }
GEMM(large_f16, Large, false)
GEMM(large_bf16, Large, true)
GEMM(small_f16, Small, false)
GEMM(small_bf16, Small, true)
