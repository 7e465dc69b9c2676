// MUL_MAT of f32, f16 or bf16 rows with one to eight f32 columns, which are rounded to the type of the rows. The time is
// that of reading `a` once. Rows of both begin at multiples of 16 bytes and are a whole number of 16-byte pieces long.
// `threads` threads of a block share a row: 8, 16 or 32 where rows are short, all 128 where they are long and few.
#include "float_rows.cuh"

static const int THREADS = 128;

// 16 bytes of a row as floats.
template <int T> struct Piece {
    static const int SIZE = 8;
    DEVICE void load(const u8 *p, float *v) {
        const uint4 bits = *(const uint4 *) p;
        const u32 words[4] = {bits.x, bits.y, bits.z, bits.w};
#pragma unroll
        for (int j = 0; j < 4; j++) {
            v[2 * j] = T == TYPE_F16 ? half_to_float((u16) words[j]) : bfloat_to_float((u16) words[j]);
            v[2 * j + 1] = T == TYPE_F16 ? half_to_float((u16) (words[j] >> 16)) : __uint_as_float(words[j] & 0xffff0000u);
        }
    }
};
template <> struct Piece<TYPE_F32> {
    static const int SIZE = 4;
    DEVICE void load(const u8 *p, float *v) {
        const float4 x = *(const float4 *) p;
        v[0] = x.x, v[1] = x.y, v[2] = x.z, v[3] = x.w;
    }
};

template <int T, int COLUMNS>
DEVICE void mul_mat_vec(const View &a, const View &b, const View &result, int threads) {
    static const int SIZE = Piece<T>::SIZE;
    pdl_launch_dependents();
    pdl_wait();
    const int thread = threadIdx.x % threads, warp = threadIdx.x / 32;
    const u32 rows = (u32) result.ne[0], rows_per_block = THREADS / threads;
    const u32 row_blocks = (rows + rows_per_block - 1) / rows_per_block;
    const u32 groups = ((u32) result.ne[1] + COLUMNS - 1) / COLUMNS;
    u32 block = blockIdx.x;
    const u32 m = block % row_blocks * rows_per_block + threadIdx.x / threads;
    block /= row_blocks;
    const u32 n = block % groups * COLUMNS;
    block /= groups;
    const u32 i2 = block % (u32) result.ne[2], i3 = block / (u32) result.ne[2];
    const u32 a2 = i2 / ((u32) b.ne[2] / (u32) a.ne[2]), a3 = i3 / ((u32) b.ne[3] / (u32) a.ne[3]);

    // All threads stay for the sums below: those of rows after the last compute it once more, and do not store it.
    const u8 *a_row = a.data + (m < rows ? m : rows - 1) * a.nb[1] + a2 * a.nb[2] + a3 * a.nb[3];
    const u8 *b_rows = b.data + n * b.nb[1] + i2 * b.nb[2] + i3 * b.nb[3];
    const int columns = (int) ((u32) result.ne[1] - n < COLUMNS ? (u32) result.ne[1] - n : COLUMNS);
    float sum[COLUMNS] = {};
    const int depth = (int) a.ne[0];
#pragma unroll 2
    for (int k = thread * SIZE; k < depth; k += threads * SIZE) {
        float x[SIZE];
        Piece<T>::load(a_row + (i64) k * (16 / SIZE), x);
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            if (c < columns) {
                const u8 *y = b_rows + c * b.nb[1] + (i64) k * 4;
#pragma unroll
                for (int j = 0; j < SIZE; j += 4) {
                    const float4 v = *(const float4 *) (y + j * 4);
                    sum[c] = fmaf(x[j], round_half<T>(v.x), sum[c]);
                    sum[c] = fmaf(x[j + 1], round_half<T>(v.y), sum[c]);
                    sum[c] = fmaf(x[j + 2], round_half<T>(v.z), sum[c]);
                    sum[c] = fmaf(x[j + 3], round_half<T>(v.w), sum[c]);
                }
            }
        }
    }
    const int lanes = threads < 32 ? threads : 32;
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        for (int o = lanes / 2; o > 0; o >>= 1) sum[c] += __shfl_xor_sync(0xffffffffu, sum[c], o);
    }
    if (threads > 32) {
        __shared__ float partial[THREADS / 32][COLUMNS];
        if (threadIdx.x % 32 == 0) {
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) partial[warp][c] = sum[c];
        }
        __syncthreads();
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) sum[c] = partial[0][c] + partial[1][c] + partial[2][c] + partial[3][c];
    }
    if (thread == 0 && m < rows) {
        u8 *out = result.data + m * result.nb[0] + n * result.nb[1] + i2 * result.nb[2] + i3 * result.nb[3];
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            if (c < columns) *(float *) (out + c * result.nb[1]) = sum[c];
        }
    }
}

#define KERNELS(suffix, type) \
    KERNEL mul_mat_vec_1_##suffix(View a, View b, View result, int threads) { mul_mat_vec<type, 1>(a, b, result, threads); } \
    KERNEL mul_mat_vec_2_##suffix(View a, View b, View result, int threads) { mul_mat_vec<type, 2>(a, b, result, threads); } \
    KERNEL mul_mat_vec_4_##suffix(View a, View b, View result, int threads) { mul_mat_vec<type, 4>(a, b, result, threads); } \
    KERNEL mul_mat_vec_8_##suffix(View a, View b, View result, int threads) { mul_mat_vec<type, 8>(a, b, result, threads); }
KERNELS(f32, TYPE_F32)
KERNELS(f16, TYPE_F16)
KERNELS(bf16, TYPE_BF16)
