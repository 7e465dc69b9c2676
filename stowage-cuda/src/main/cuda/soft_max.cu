// SOFT_MAX of rows of scores with scale, mask, ALiBi slopes and sinks, and the masks of a diagonal.
#include "rows.cuh"

// How many scores a thread keeps in registers; rows that need more are read twice, with a running maximum.
static const int KEPT = 8;

// The scores of a row: x * scale + slope * mask.
template <typename M> struct Scores {
    const float *x;
    const M *mask; // null if there is none
    float scale;
    float slope;

    __device__ __forceinline__ float at(i64 i) const {
        float score = x[i] * scale;
        return mask ? score + slope * to_float(mask[i]) : score;
    }
};

// Heads up to the largest power of two among them have the slopes base^(head + 1), those after them odd powers of
// another base; both bases are given by their binary logarithms.
DEVICE float alibi_slope(u32 head, u32 power, float log_base, float log_base_after) {
    return head < power ? exp2f(log_base * (float) (head + 1)) : exp2f(log_base_after * (float) (2 * (head - power) + 1));
}

// Adds a score to the sum of exp(score - max) with a maximum that grows. An infinite score makes the sum NaN.
DEVICE void add_score(float score, float &max, float &sum) {
    if (score > max) {
        sum = sum * expf(max - score) + ((score - score) + 1.f);
        max = score;
    } else if (score > -infinity() || is_nan(score)) {
        sum += expf(score - max);
    }
}

// The row is at most KEPT times the threads long.
template <typename M> DEVICE void soft_max_short(const Scores<M> &scores, float *y, i64 n, float sink) {
    float kept[KEPT];
    float max = sink;
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        i64 i = (i64) k * blockDim.x + threadIdx.x;
        kept[k] = i < n ? scores.at(i) : -infinity();
        max = fmaxf(max, kept[k]);
    }
    max = row_max(max);
    float sum = 0.f;
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        i64 i = (i64) k * blockDim.x + threadIdx.x;
        if (i < n) {
            kept[k] = expf(kept[k] - max);
            sum += kept[k];
        }
    }
    sum = row_sum(sum);
    if (sink != -infinity()) sum += expf(sink - max);
    const float factor = 1.f / sum;
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        i64 i = (i64) k * blockDim.x + threadIdx.x;
        if (i < n) y[i] = kept[k] * factor;
    }
}

template <typename M> DEVICE void soft_max_long(const Scores<M> &scores, float *y, i64 n, float sink) {
    float max = -infinity(), sum = 0.f;
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) add_score(scores.at(i), max, sum);
    const float all = row_max(fmaxf(max, sink));
    // A thread that has seen no finite score has nothing to scale.
    sum = row_sum(max > -infinity() || is_nan(sum) ? sum * expf(max - all) : 0.f);
    if (sink != -infinity()) sum += expf(sink - all);
    const float factor = 1.f / sum;
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) y[i] = expf(scores.at(i) - all) * factor;
}

// Scores and mask are without gaps; the mask has mask1 rows, of which the first `queries` count, and repeats over heads
// and batches. In a block of one row all threads get to every reduction, as the choice of a path is the same for all.
template <typename M>
DEVICE void soft_max_rows(
        const float *x, float *y, const M *mask, const u8 *sinks, i64 n, i64 rows, int queries, int heads, i64 mask1,
        int mask2, int mask3, i64 sink_stride, float scale, int power, float log_base, float log_base_after) {
    pdl_launch_dependents();
    const i64 row = row_of_thread();
    if (row >= rows) return;
    const u32 over1 = (u32) row / (u32) queries;
    const u32 query = (u32) row - over1 * queries;
    const u32 batch = over1 / (u32) heads;
    const u32 head = over1 - batch * heads;
    const i64 mask_row = ((i64) (batch % mask3) * mask2 + head % mask2) * mask1 + query;
    const float slope = power > 0 ? alibi_slope(head, power, log_base, log_base_after) : 1.f;
    const Scores<M> scores = {x + row * n, mask ? mask + mask_row * n : mask, scale, slope};
    pdl_wait();
    const float sink = sinks ? load<float>(sinks + head * sink_stride) : -infinity();
    if (n <= (i64) KEPT * blockDim.x) {
        soft_max_short(scores, y + row * n, n, sink);
    } else {
        soft_max_long(scores, y + row * n, n, sink);
    }
}

#define SOFT_MAX_KERNEL(name, type) \
    KERNEL name( \
            const float *x, float *y, const type *mask, const u8 *sinks, i64 n, i64 rows, int queries, int heads, \
            i64 mask1, int mask2, int mask3, i64 sink_stride, float scale, int power, float log_base, \
            float log_base_after) { \
        soft_max_rows(x, y, mask, sinks, n, rows, queries, heads, mask1, mask2, mask3, sink_stride, scale, power, \
                      log_base, log_base_after); \
    }

SOFT_MAX_KERNEL(soft_max_f32, float)
SOFT_MAX_KERNEL(soft_max_f32_mask_f16, f16)

// In row i1, everything after column past + i1 becomes the value, and the rest stays.
template <typename T> DEVICE void diag_mask_rows(const View &x, const View &y, int past, float value) {
    pdl_launch_dependents();
    const i64 row = row_of_thread();
    if (row >= row_count(y)) return;
    const RowIndex index = row_index((u32) row, y);
    const u8 *from = row_at(x, index);
    u8 *to = row_at(y, index);
    pdl_wait();
    for (i64 i = threadIdx.x; i < y.ne[0]; i += blockDim.x) {
        T v = i > (i64) past + index.i1 ? Rounded<T>::of(value) : *(const T *) (from + i * x.nb[0]);
        *(T *) (to + i * y.nb[0]) = v;
    }
}

KERNEL diag_mask_f32(View x, View y, int past, float value) { diag_mask_rows<float>(x, y, past, value); }
KERNEL diag_mask_f16(View x, View y, int past, float value) { diag_mask_rows<f16>(x, y, past, value); }
KERNEL diag_mask_bf16(View x, View y, int past, float value) { diag_mask_rows<bf16>(x, y, past, value); }
