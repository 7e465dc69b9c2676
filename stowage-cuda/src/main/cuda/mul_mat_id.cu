// MUL_MAT_ID for every type: one warp computes one element of the result, the dot product of a row of the matrix that
// ids[e, t] chooses with row (e modulo the rows of a token, t) of `b`, in f32. An id that names no matrix gives NaN,
// since a kernel cannot report it.
#include "columns.cuh"

static const int WARPS = 4;

template <int T, typename Columns>
DEVICE void mul_mat_id(const View &a, const Columns &b, u32 b_rows, const View &ids, const View &result) {
    pdl_launch_dependents();
    pdl_wait();
    const int lane = threadIdx.x % 32;
    const u32 rows = (u32) result.ne[0], used = (u32) result.ne[1];
    u32 unit = blockIdx.x * WARPS + threadIdx.x / 32;
    const u32 m = unit % rows;
    unit /= rows;
    const u32 e = unit % used, t = unit / used;
    if (t >= (u32) result.ne[2]) return;

    const int id = *(const int *) (ids.data + e * ids.nb[0] + t * ids.nb[1]);
    float sum = 0;
    if (id >= 0 && id < a.ne[2]) {
        const u32 depth = (u32) a.ne[0];
        const u8 *a_row = a.data + m * a.nb[1] + id * a.nb[2];
        const u8 *b_row = b.row(e % b_rows, t, 0, b_rows, 1);
#pragma unroll 1
        for (u32 k = lane * 8; k < depth; k += 256) {
            float x[8], y[8];
            Row<T>::load(a_row, a.nb[0], k, depth, x);
            b.load(b_row, 0, k, y);
#pragma unroll
            for (int j = 0; j < 8; j++) sum = fmaf(x[j], y[j], sum);
        }
        sum = warp_sum(sum);
    } else {
        sum = __uint_as_float(0x7fc00000u);
    }
    if (lane == 0) *(float *) (result.data + m * result.nb[0] + e * result.nb[1] + t * result.nb[2]) = sum;
}

#define PLAIN_KERNELS(suffix, type) \
    KERNEL mul_mat_id_##suffix(View a, View b, int b_type, View ids, View result) { \
        mul_mat_id<type>(a, TensorColumns<type>(b, b_type), (u32) b.ne[1], ids, result); \
    }
FOR_EACH_PLAIN_TYPE(PLAIN_KERNELS)

// A token has `b_rows` rows of `b`.
#define BLOCK_KERNELS(suffix, type) \
    KERNEL mul_mat_id_##suffix(View a, const float *b, int b_rows, View ids, View result) { \
        mul_mat_id<type>(a, RoundedColumns{b, (u32) a.ne[0]}, (u32) b_rows, ids, result); \
    }
FOR_EACH_BLOCK_FORMAT(BLOCK_KERNELS)
