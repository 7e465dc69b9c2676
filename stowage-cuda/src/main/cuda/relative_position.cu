// Relative positions of image attention: GET_REL_POS and ADD_REL_POS.
#include "rows.cuh"

// y[i, key, query] = a[i, query - key + size - 1] as f16; block (part of a row, key, query).
template <typename T> DEVICE void get_rel_pos(const View &a, const View &y) {
    pdl_launch_dependents();
    const i64 i = (i64) blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= y.ne[0]) return;
    const i64 key = blockIdx.y, query = blockIdx.z;
    const i64 row = query - key + y.ne[1] - 1;
    pdl_wait();
    const float v = load<T>(a.data + i * a.nb[0] + row * a.nb[1]);
    store<f16>(y.data + i * y.nb[0] + key * y.nb[1] + query * y.nb[2], v);
}

KERNEL get_rel_pos_f16(View a, View y) { get_rel_pos<f16>(a, y); }
KERNEL get_rel_pos_f32(View a, View y) { get_rel_pos<float>(a, y); }

// y[x + n * y, place, head] = a + horizontal[x, place, head] + vertical[y, place, head]; all without gaps. Only the
// first entry of dimension 3 gets the additions, as in ggml.
KERNEL add_rel_pos_f32(
        const float *a, const float *horizontal, const float *vertical, float *y, i64 n, i64 places, i64 heads,
        i64 count) {
    pdl_launch_dependents();
    const i64 e = (i64) blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= count) return;
    const i64 row = e / (n * n), i = e - row * n * n;
    pdl_wait();
    float v = a[e];
    if (row < places * heads) v += horizontal[row * n + i % n] + vertical[row * n + i / n];
    y[e] = v;
}
