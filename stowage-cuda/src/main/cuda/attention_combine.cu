// Adds up what the splits of an attention have stored: see AttentionOutput.
#include "attention_common.cuh"
#include "unit_quantize.cuh"

constexpr int MOST_SPLITS = 256;

// How many splits a thread loads the sums of while the states are loaded.
constexpr int AHEAD = 16;

// Result or, where it is set, published: the row as quantised activations.
DEVICE void combine(const float *partials, const float *states, const float *sinks, float *result, u8 *published, int splits,
        int size, int heads) {
    __shared__ float factors[MOST_SPLITS];
    pdl_launch_dependents();
    pdl_wait();
    i64 row = blockIdx.x;
    int lane = threadIdx.x & 31, i = threadIdx.x;
    bool valid = i < size;
    const float *from = partials + row * splits * size + (valid ? i : 0);
    float ahead[AHEAD];
#pragma unroll
    for (int s = 0; s < AHEAD; s++) ahead[s] = s < splits ? from[(i64) s * size] : 0.f;
    const float *state = states + row * splits * 2;
    float max = minus_infinity(), weight = 0.f;
    for (int s = lane; s < splits; s += 32) max = fmaxf(max, state[s * 2]);
    max = warp_max(max);
    float base = score_base(max);
    for (int s = lane; s < splits; s += 32) {
        float factor = exp2_fast(state[s * 2] - base);
        weight += state[s * 2 + 1] * factor;
        if (threadIdx.x < 32) factors[s] = factor;
    }
    float last = final_factor(max, warp_sum(weight), sinks, (int) (row % heads));
    __syncthreads();
    float sum = 0.f;
#pragma unroll
    for (int s = 0; s < AHEAD; s++)
        if (s < splits) sum += factors[s] * ahead[s];
#pragma unroll 16
    for (int s = AHEAD; s < splits; s++) sum += factors[s] * from[(i64) s * size];
    // All lanes of a warp are here for the shuffles of quantize1.
    if (published) quantize1(sum * last, 0.f, row * size + i, published, valid);
    else if (valid) result[row * size + i] = sum * last;
}

// Grid: rows of the result. Block: a thread for each element of a row, rounded up to whole warps.
KERNEL __launch_bounds__(256) attention_combine(const float *partials, const float *states, const float *sinks, float *result,
        int splits, int size, int heads) {
    combine(partials, states, sinks, result, nullptr, splits, size, heads);
}

// The same for one token, as quantised activations. The size of a row is a multiple of 16.
KERNEL __launch_bounds__(256) attention_combine_published(const float *partials, const float *states, const float *sinks,
        u8 *published, int splits, int size, int heads) {
    combine(partials, states, sinks, nullptr, published, splits, size, heads);
}
