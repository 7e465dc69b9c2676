// Adds up what the splits of an attention have stored: see AttentionOutput.
#include "attention_common.cuh"

constexpr int MOST_SPLITS = 256;

// Grid: rows of the result. Block: any number of warps; each thread computes elements of the row.
KERNEL __launch_bounds__(256) attention_combine(const float *partials, const float *states, const float *sinks, float *result,
        int splits, int size, int heads) {
    __shared__ float factors[MOST_SPLITS];
    pdl_launch_dependents();
    pdl_wait();
    i64 row = blockIdx.x;
    int lane = threadIdx.x & 31;
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
    for (int i = threadIdx.x; i < size; i += blockDim.x) {
        const float *from = partials + row * splits * size + i;
        float sum = 0.f;
#pragma unroll 16
        for (int s = 0; s < splits; s++) sum += factors[s] * from[(i64) s * size];
        result[row * size + i] = sum * last;
    }
}
