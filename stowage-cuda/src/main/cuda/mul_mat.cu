// MUL_MAT for every type and all strides of `a`: one warp computes the dot products of one row of `a` with up to COLUMNS rows
// of `b`, in f32. Matrices of `a` are shared: matrix (i2, i3) of the result reads matrix (i2 / r2, i3 / r3) of `a`.
#include "columns.cuh"

static const int WARPS = 4;

template <int T, int COLUMNS, typename Columns> DEVICE void mul_mat(const View &a, const Columns &b, const View &result) {
    pdl_launch_dependents();
    pdl_wait();
    const int lane = threadIdx.x % 32;
    const u32 rows = (u32) result.ne[0], groups = ((u32) result.ne[1] + COLUMNS - 1) / COLUMNS;
    // Rows of `a` are innermost, so that warps that run together read the same rows of `b`.
    u32 unit = blockIdx.x * WARPS + threadIdx.x / 32;
    const u32 m = unit % rows;
    unit /= rows;
    const u32 n = unit % groups * COLUMNS;
    unit /= groups;
    const u32 i2 = unit % (u32) result.ne[2], i3 = unit / (u32) result.ne[2];
    if (i3 >= (u32) result.ne[3]) return;

    const u32 a2 = i2 / ((u32) result.ne[2] / (u32) a.ne[2]), a3 = i3 / ((u32) result.ne[3] / (u32) a.ne[3]);
    const u8 *a_row = a.data + m * a.nb[1] + a2 * a.nb[2] + a3 * a.nb[3];
    const u8 *b_rows = b.row(n, i2, i3, (u32) result.ne[1], (u32) result.ne[2]);
    const int left = (int) ((u32) result.ne[1] - n), columns = left < COLUMNS ? left : COLUMNS;
    const u32 depth = (u32) a.ne[0];

    float sum[COLUMNS] = {};
#pragma unroll 1
    for (u32 k = lane * 8; k < depth; k += 256) {
        float x[8];
        Row<T>::load(a_row, a.nb[0], k, depth, x);
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            if (c < columns) {
                float y[8];
                b.load(b_rows, c, k, y);
#pragma unroll
                for (int j = 0; j < 8; j++) sum[c] = fmaf(x[j], y[j], sum[c]);
            }
        }
    }
    u8 *out = result.data + m * result.nb[0] + n * result.nb[1] + i2 * result.nb[2] + i3 * result.nb[3];
#pragma unroll
    for (int c = 0; c < COLUMNS; c++) {
        float total = warp_sum(sum[c]);
        if (lane == 0 && c < columns) *(float *) (out + c * result.nb[1]) = total;
    }
}

#define PLAIN_KERNELS(suffix, type) \
    KERNEL mul_mat_##suffix(View a, View b, int b_type, View result) { \
        mul_mat<type, 1>(a, TensorColumns<type>(b, b_type), result); \
    } \
    KERNEL mul_mat_columns_##suffix(View a, View b, int b_type, View result) { \
        mul_mat<type, 8>(a, TensorColumns<type>(b, b_type), result); \
    }
FOR_EACH_PLAIN_TYPE(PLAIN_KERNELS)

#define BLOCK_KERNELS(suffix, type) \
    KERNEL mul_mat_##suffix(View a, const float *b, View result) { \
        mul_mat<type, 1>(a, RoundedColumns{b, (u32) a.ne[0]}, result); \
    } \
    KERNEL mul_mat_columns_##suffix(View a, const float *b, View result) { \
        mul_mat<type, 8>(a, RoundedColumns{b, (u32) a.ne[0]}, result); \
    }
FOR_EACH_BLOCK_FORMAT(BLOCK_KERNELS)
