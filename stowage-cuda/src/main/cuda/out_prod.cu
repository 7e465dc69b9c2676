// OUT_PROD for every type: result[m, n] is the sum over rows k of a[m, k] * b[n, k], in f32. One thread computes eight
// neighbours along m, which is what it decodes of a row of `a` at once.
#include "row_decode.cuh"

template <int T> DEVICE void out_prod(const View &a, const View &b, int b_type, const View &result) {
    pdl_launch_dependents();
    pdl_wait();
    const u32 groups = ((u32) result.ne[0] + 7) / 8, columns = (u32) result.ne[1];
    u32 unit = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 m = unit % groups * 8;
    unit /= groups;
    const u32 n = unit % columns;
    unit /= columns;
    const u32 i2 = unit % (u32) result.ne[2], i3 = unit / (u32) result.ne[2];
    if (i3 >= (u32) result.ne[3]) return;

    const u32 a2 = i2 / ((u32) b.ne[2] / (u32) a.ne[2]), a3 = i3 / ((u32) b.ne[3] / (u32) a.ne[3]);
    const u8 *a_rows = a.data + a2 * a.nb[2] + a3 * a.nb[3];
    const u8 *b_column = b.data + n * b.nb[0] + i2 * b.nb[2] + i3 * b.nb[3];
    float sum[8] = {};
#pragma unroll 1
    for (u32 k = 0; k < (u32) a.ne[1]; k++) {
        float x[8];
        Row<T>::load(a_rows + k * a.nb[1], a.nb[0], m, (u32) a.ne[0], x);
        const float factor = load_element(b_column + k * b.nb[1], b_type);
#pragma unroll
        for (int j = 0; j < 8; j++) sum[j] = fmaf(x[j], factor, sum[j]);
    }
    u8 *out = result.data + m * result.nb[0] + n * result.nb[1] + i2 * result.nb[2] + i3 * result.nb[3];
#pragma unroll
    for (int j = 0; j < 8; j++) {
        if (m + j < (u32) result.ne[0]) *(float *) (out + j * result.nb[0]) = sum[j];
    }
}

#define KERNELS(suffix, type) \
    KERNEL out_prod_##suffix(View a, View b, int b_type, View result) { out_prod<type>(a, b, b_type, result); }
FOR_EACH_ROW_TYPE(KERNELS)
