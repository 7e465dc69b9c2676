// LIGHTNING_INDEXER: the score of each key for each token, summed over heads.
#include "rows.cuh"

struct q8_0 { u16 scale; i8 quants[32]; };

template <typename T> DEVICE float key_element(const u8 *row, i64 stride, int i) { return load<T>(row + i * stride); }
template <> __device__ __forceinline__ float key_element<q8_0>(const u8 *row, i64 stride, int i) {
    const q8_0 *block = (const q8_0 *) (row + (i >> 5) * stride);
    return half_to_float(block->scale) * (float) block->quants[i & 31];
}

// y[key, token, 0, batch] = sum over heads of weights * max(0, dot(q, k)) + mask. A warp has a key and a token; a lane
// has elements lane, lane + 32, ... of the vectors, those of the key in registers.
template <typename T, int PER_LANE>
DEVICE void index_keys(const View &q, const View &k, const View &weights, const View &mask, const View &y) {
    pdl_launch_dependents();
    const int lane = threadIdx.x, d = (int) q.ne[0];
    const i64 number = (i64) blockIdx.x * blockDim.y + threadIdx.y;
    if (number >= y.ne[0] * y.ne[1] * y.ne[3]) return;
    const i64 key = number % y.ne[0], token = number / y.ne[0] % y.ne[1], batch = number / y.ne[0] / y.ne[1];
    const u8 *of_k = k.data + key * k.nb[2] + batch * k.nb[3];
    const u8 *of_q = q.data + token * q.nb[2] + batch * q.nb[3];
    const u8 *weight = weights.data + token * weights.nb[1] + batch * weights.nb[3];
    pdl_wait();
    float kept[PER_LANE];
#pragma unroll
    for (int e = 0; e < PER_LANE; e++) {
        kept[e] = lane + 32 * e < d ? key_element<T>(of_k, k.nb[0], lane + 32 * e) : 0.f;
    }
    float score = 0.f;
    for (i64 head = 0; head < q.ne[1]; head++) {
        float match = 0.f;
#pragma unroll
        for (int e = 0; e < PER_LANE; e++) {
            int i = lane + 32 * e;
            if (i < d) match += kept[e] * load<float>(of_q + head * q.nb[1] + i * q.nb[0]);
        }
        match = warp_sum(match);
        score += (match > 0.f ? match : 0.f) * load<float>(weight + head * weights.nb[0]);
    }
    if (lane == 0) {
        const u8 *bias = mask.data + key * mask.nb[0] + token * mask.nb[1] + batch % mask.ne[3] * mask.nb[3];
        store<float>(y.data + key * y.nb[0] + token * y.nb[1] + batch * y.nb[3], score + load<f16>(bias));
    }
}

#define INDEXER_KERNEL(name, type) \
    KERNEL name(View q, View k, View weights, View mask, View y) { index_keys<type, 8>(q, k, weights, mask, y); }

INDEXER_KERNEL(lightning_indexer_f32, float)
INDEXER_KERNEL(lightning_indexer_f16, f16)
INDEXER_KERNEL(lightning_indexer_bf16, bf16)
INDEXER_KERNEL(lightning_indexer_q8_0, q8_0)
