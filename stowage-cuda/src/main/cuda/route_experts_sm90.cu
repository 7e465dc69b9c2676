// The experts that tokens use, in one launch: RMS norm, scores of all experts, soft-max, the best ones and their shares.
//
// A cluster of 8 blocks has a token. Every block has the whole normed row in shared memory, stores an eighth of it, and
// computes the scores of every eighth expert; the first block gets all scores and chooses:
//
//     block 0   norm ── scores of experts 0,  8, 16 ... ──┐
//     block 1   norm ── scores of experts 1,  9, 17 ... ──┼─► block 0: soft-max, best, shares
//     ...                                                 ┘
#include "unit_ptx.cuh"

const int ROUTE_WARPS = 8;
const int ROUTE_THREADS = 32 * ROUTE_WARPS;
const int ROUTE_BLOCKS = 8;
// Experts of a lane of the warp that chooses.
const int LANE_EXPERTS = 8;
const int MOST_EXPERTS = 32 * LANE_EXPERTS;

DEVICE void fetch_row(const float *row, int bytes) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(row), "r"(bytes) : "memory");
}
// Stores into the same shared memory of the first block of the cluster.
DEVICE void store_to_first(float *to, float value) {
    asm volatile("{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, 0;\nst.shared::cluster.f32 [remote], %1;\n}"
            ::"r"(shared_address(to)), "f"(value) : "memory");
}

// The larger a share, the smaller its key; equal ones in the order of experts, NaN first. No two keys are equal.
DEVICE u64 share_key(float share, int expert) {
    u32 bits = share != share ? 0x7fffffffu : __float_as_uint(share);
    return (u64) ~bits << 32 | (u32) expert;
}
DEVICE u64 warp_least(u64 v) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
        u64 other = __shfl_xor_sync(0xffffffffu, v, o);
        v = other < v ? other : v;
    }
    return v;
}

// One warp: the shares of all scores, the best ones, made to sum up to 1.
DEVICE void choose_experts(float *scores, int experts, int used, float leastSum, int *ids, float *shares) {
    const float low = -__int_as_float(0x7f800000);
    int lane = threadIdx.x & 31;
    float kept[LANE_EXPERTS], max = low, sum = 0.f;
#pragma unroll
    for (int j = 0; j < LANE_EXPERTS; j++) {
        int e = lane + 32 * j;
        kept[j] = e < experts ? scores[e] : low;
        max = fmaxf(max, kept[j]);
    }
    max = warp_max(max);
#pragma unroll
    for (int j = 0; j < LANE_EXPERTS; j++)
        if (lane + 32 * j < experts) sum += kept[j] = expf(kept[j] - max);
    float factor = 1.f / warp_sum(sum);
    u64 keys[LANE_EXPERTS];
#pragma unroll
    for (int j = 0; j < LANE_EXPERTS; j++) {
        int e = lane + 32 * j;
        keys[j] = ~0ull;
        if (e < experts) {
            kept[j] *= factor;
            scores[e] = kept[j];
            keys[j] = share_key(kept[j], e);
        }
    }
    __syncwarp();
    int mine = 0;
#pragma unroll 1
    for (int i = 0; i < used; i++) {
        u64 least = keys[0];
#pragma unroll
        for (int j = 1; j < LANE_EXPERTS; j++) least = keys[j] < least ? keys[j] : least;
        least = warp_least(least);
#pragma unroll
        for (int j = 0; j < LANE_EXPERTS; j++)
            if (keys[j] == least) keys[j] = ~0ull;
        if (lane == i) mine = (int) (u32) least;
    }
    float share = lane < used ? scores[mine] : 0.f;
    float all = warp_sum(share);
    if (lane < used) {
        ids[lane] = mine;
        shares[lane] = share / (all > leastSum || all != all ? all : leastSum);
    }
}

// Rows begin at multiples of 16 bytes and are a whole number of 16-byte pieces long; there are at most MOST_EXPERTS
// experts, of which at most 32 are used. blockIdx.y is the token.
KERNEL __launch_bounds__(ROUTE_THREADS) route_experts(const float *x, i64 xToken, const float *norm, float epsilon, int k,
        float *normed, i64 normedToken, const float *router, i64 routerRow, int experts, int used, float leastSum,
        int *ids, i64 idsToken, float *shares, i64 sharesToken) {
    extern __shared__ __align__(16) float row[];
    __shared__ float squareSums[ROUTE_WARPS], scores[MOST_EXPERTS];
    __shared__ float parts[MOST_EXPERTS / ROUTE_BLOCKS][ROUTE_WARPS];
    pdl_launch_dependents();
    const int block = blockIdx.x, token = blockIdx.y, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0)
        for (int e = block + ROUTE_BLOCKS * warp; e < experts; e += ROUTE_BLOCKS * ROUTE_WARPS)
            fetch_row(router + e * routerRow, k * 4);
    // Says only that this block has started, and can be written to.
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    pdl_wait();
    const float *from = x + token * xToken;
    float squares = 0.f;
    for (int i = threadIdx.x * 4; i < k; i += ROUTE_THREADS * 4) {
        float4 v = load_float4(from + i);
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
        *(float4 *) (row + i) = v;
    }
    squares = warp_sum(squares);
    if (lane == 0) squareSums[warp] = squares;
    __syncthreads();
    float all = 0.f;
#pragma unroll
    for (int w = 0; w < ROUTE_WARPS; w++) all += squareSums[w];
    const float factor = 1.f / sqrtf(all / (float) k + epsilon);
    // Every thread has what it stored itself.
    for (int i = threadIdx.x * 4; i < k; i += ROUTE_THREADS * 4) {
        float4 v = *(float4 *) (row + i), g = *(const float4 *) (norm + i);
        v = make_float4(v.x * factor * g.x, v.y * factor * g.y, v.z * factor * g.z, v.w * factor * g.w);
        *(float4 *) (row + i) = v;
        if ((i >> 5 & (ROUTE_BLOCKS - 1)) == block) *(float4 *) (normed + token * normedToken + i) = v;
    }
    for (int e = block, j = 0; e < experts; e += ROUTE_BLOCKS, j++) {
        float sum = 0.f;
#pragma unroll 4
        for (int i = threadIdx.x * 4; i < k; i += ROUTE_THREADS * 4) {
            float4 v = *(float4 *) (row + i), w = *(const float4 *) (router + e * routerRow + i);
            sum = fmaf(v.x, w.x, fmaf(v.y, w.y, fmaf(v.z, w.z, fmaf(v.w, w.w, sum))));
        }
        sum = warp_sum(sum);
        if (lane == 0) parts[j][warp] = sum;
    }
    __syncthreads();
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    int expert = block + ROUTE_BLOCKS * threadIdx.x;
    if (expert < experts) {
        float score = 0.f;
#pragma unroll
        for (int w = 0; w < ROUTE_WARPS; w++) score += parts[threadIdx.x][w];
        store_to_first(scores + expert, score);
    }
    __syncwarp();
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    if (block == 0 && warp == 0)
        choose_experts(scores, experts, used, leastSum, ids + token * idsToken, shares + token * sharesToken);
}
