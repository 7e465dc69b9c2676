// MUL_MAT_ID for every type: one warp computes one element of the result, the dot product of a row of the matrix that
// ids[e, t] chooses with row (e modulo the rows of a token, t) of `b`, in f32. An id that names no matrix gives NaN,
// since a kernel cannot report it.
#include "row_decode.cuh"

static const int WARPS = 4;

template <int T>
DEVICE void mul_mat_id(const View &a, const View &bv, int b_type, const View &ids, const View &result) {
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
        const Factor b(bv, b_type);
        const u32 depth = (u32) a.ne[0];
        const u8 *a_row = a.data + m * a.nb[1] + id * a.nb[2];
        const u8 *b_row = bv.data + e % (u32) bv.ne[1] * bv.nb[1] + t * bv.nb[2];
#pragma unroll 1
        for (u32 k = lane * 8; k < depth; k += 256) {
            float x[8], y[8];
            Row<T>::load(a_row, a.nb[0], k, depth, x);
            b.load(b_row, k, y);
#pragma unroll
            for (int j = 0; j < 8; j++) sum = fmaf(x[j], y[j], sum);
        }
        sum = warp_sum(sum);
    } else {
        sum = __uint_as_float(0x7fc00000u);
    }
    if (lane == 0) *(float *) (result.data + m * result.nb[0] + e * result.nb[1] + t * result.nb[2]) = sum;
}

#define KERNELS(suffix, type) \
    KERNEL mul_mat_id_##suffix(View a, View b, int b_type, View ids, View result) { \
        mul_mat_id<type>(a, b, b_type, ids, result); \
    }
FOR_EACH_ROW_TYPE(KERNELS)
