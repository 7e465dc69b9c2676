// MUL_MAT of f32 by f32 with many columns, in true f32 (no TF32): 128 x 64 tiles of the result, 256 threads that compute
// 8 x 4 elements each. Both factors go through shared memory with k outermost; while one step of 16 is computed, the
// next is loaded into registers, and stored into the other of two buffers.
//
//     result[m, n]:  m along rows of `a` (contiguous in the result), n along rows of `b`
//     thread (x, y): m = 4 x + {0..3} and 64 + 4 x + {0..3}, n = 4 y + {0..3}
#include "common.cuh"

static const int TILE_M = 128, TILE_N = 64, STEP = 16;
// Rows of shared memory are padded: stores go down a column, and 4 floats more keep float4 loads aligned.
static const int PITCH_M = TILE_M + 4, PITCH_N = TILE_N + 4;

// Four elements of a row from k on; zeros outside of the matrix.
DEVICE float4 load_four(const u8 *matrix, i64 row_stride, i64 row, i64 rows, int k, int depth, bool is_vector) {
    float4 v = make_float4(0, 0, 0, 0);
    if (row >= rows) return v;
    const float *p = (const float *) (matrix + row * row_stride) + k;
    if (is_vector && k + 4 <= depth) return *(const float4 *) p;
    if (k < depth) v.x = p[0];
    if (k + 1 < depth) v.y = p[1];
    if (k + 2 < depth) v.z = p[2];
    if (k + 3 < depth) v.w = p[3];
    return v;
}
DEVICE void store_column(float *shared, int pitch, int row, int k, float4 v) {
    shared[k * pitch + row] = v.x;
    shared[(k + 1) * pitch + row] = v.y;
    shared[(k + 2) * pitch + row] = v.z;
    shared[(k + 3) * pitch + row] = v.w;
}

// `is_vector`: rows of both factors begin at multiples of 16 bytes. Matrices are blockIdx.z.
KERNEL __launch_bounds__(256) sgemm(View a, View b, View result, int is_vector) {
    __shared__ __align__(16) float as[2][STEP * PITCH_M], bs[2][STEP * PITCH_N];
    pdl_launch_dependents();
    pdl_wait();
    const int tid = threadIdx.x, x = tid % 16, y = tid / 16;
    const i64 m0 = (i64) blockIdx.x * TILE_M, n0 = (i64) blockIdx.y * TILE_N;
    const i64 i2 = blockIdx.z % result.ne[2], i3 = blockIdx.z / result.ne[2];
    const u8 *a_matrix = a.data + i2 / (b.ne[2] / a.ne[2]) * a.nb[2] + i3 / (b.ne[3] / a.ne[3]) * a.nb[3];
    const u8 *b_matrix = b.data + i2 * b.nb[2] + i3 * b.nb[3];
    const int depth = (int) a.ne[0];
    // A thread loads four elements of rows `row` and `row + 64` of `a`, and of row `row` of `b`.
    const int row = tid / 4, part = tid % 4 * 4;

    float sum[8][4] = {};
    float4 a_low = load_four(a_matrix, a.nb[1], m0 + row, a.ne[1], part, depth, is_vector);
    float4 a_high = load_four(a_matrix, a.nb[1], m0 + row + 64, a.ne[1], part, depth, is_vector);
    float4 b_next = load_four(b_matrix, b.nb[1], n0 + row, b.ne[1], part, depth, is_vector);
    for (int k = 0, buffer = 0; k < depth; k += STEP, buffer ^= 1) {
        store_column(as[buffer], PITCH_M, row, part, a_low);
        store_column(as[buffer], PITCH_M, row + 64, part, a_high);
        store_column(bs[buffer], PITCH_N, row, part, b_next);
        // One barrier is enough: this buffer is written again only after the next one, which all threads reach when
        // they are done with reading it.
        __syncthreads();
        if (k + STEP < depth) {
            const int next = k + STEP + part;
            a_low = load_four(a_matrix, a.nb[1], m0 + row, a.ne[1], next, depth, is_vector);
            a_high = load_four(a_matrix, a.nb[1], m0 + row + 64, a.ne[1], next, depth, is_vector);
            b_next = load_four(b_matrix, b.nb[1], n0 + row, b.ne[1], next, depth, is_vector);
        }
#pragma unroll
        for (int i = 0; i < STEP; i++) {
            const float4 low = *(const float4 *) &as[buffer][i * PITCH_M + 4 * x];
            const float4 high = *(const float4 *) &as[buffer][i * PITCH_M + 64 + 4 * x];
            const float4 v = *(const float4 *) &bs[buffer][i * PITCH_N + 4 * y];
            const float am[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
            const float bn[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int m = 0; m < 8; m++) {
#pragma unroll
                for (int n = 0; n < 4; n++) sum[m][n] = fmaf(am[m], bn[n], sum[m][n]);
            }
        }
    }
    u8 *out = result.data + i2 * result.nb[2] + i3 * result.nb[3];
#pragma unroll
    for (int n = 0; n < 4; n++) {
        const i64 column = n0 + 4 * y + n;
        if (column >= result.ne[1]) break;
#pragma unroll
        for (int m = 0; m < 8; m++) {
            const i64 at = m0 + (m < 4 ? 0 : 64) + 4 * x + m % 4;
            if (at < result.ne[0]) *(float *) (out + at * result.nb[0] + column * result.nb[1]) = sum[m][n];
        }
    }
}
