// Activations in the forms that products with units read: int8 with scales, and operands of matrix instructions.
#include "clusters.cuh"
#include "dot_rounding.cuh"
#include "unit_fragment.cuh"

// Quantised activations of x * norm for 1024 activations by each block of 256 threads, and the sum of squares of every 16
// of x. blockIdx.y is the token.
KERNEL unit_publish(const float *x, i64 xToken, const float *norm, int k, u8 *published, float *squares) {
    pdl_launch_dependents();
    pdl_wait();
    int token = blockIdx.y;
    int element = blockIdx.x * 1024 + threadIdx.x * 4;
    bool valid = element < k;
    float4 v = make_float4(0.f, 0.f, 0.f, 0.f);
    const float *from = x + token * xToken + element;
    if (valid)
        v = ((u64) from & 15) == 0 ? load_float4(from)
                                   : make_float4(load_float(from), load_float(from + 1), load_float(from + 2), load_float(from + 3));
    float square = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    square += __shfl_xor_sync(0xffffffffu, square, 1);
    square += __shfl_xor_sync(0xffffffffu, square, 2);
    if (squares && valid && (element & 15) == 0) squares[(i64) token * ((k + 15) >> 4) + (element >> 4)] = square;
    if (norm && valid) {
        v.x *= norm[element];
        v.y *= norm[element + 1];
        v.z *= norm[element + 2];
        v.w *= norm[element + 3];
    }
    quantize4(v, element, published + (i64) token * ((k + 1023) >> 10) * 1536, valid);
}

// What tokens become: as they meet weights of q4_0 and q8_0, of k-quants (see dot_rounding.cuh), and of halves.
enum TokenForm { TOKENS_Q8_0, TOKENS_Q8_K, TOKENS_F16, TOKENS_BF16 };

template <int FORM> DEVICE void round_eight(float *v) {
    if (FORM == TOKENS_Q8_0) round_to_eight_bits<32>(v);
    if (FORM == TOKENS_Q8_K) round_to_eight_bits<256>(v);
}

// Two numbers as they are multiplied.
template <int FORM> DEVICE u32 pair_of(float a, float b, float scale) {
    return FORM == TOKENS_BF16 ? float_to_bfloat(a) | (u32) float_to_bfloat(b) << 16 : half2_from(a * scale, b * scale);
}

// Four numbers; zeros where they are past the end.
DEVICE void load_four(float *v, const float *x, int at, bool aligned, bool valid) {
    const float *from = x + at;
    float4 four = make_float4(0.f, 0.f, 0.f, 0.f);
    if (valid)
        four = aligned ? load_float4(from)
                       : make_float4(load_float(from), load_float(from + 1), load_float(from + 2), load_float(from + 3));
    v[0] = four.x;
    v[1] = four.y;
    v[2] = four.z;
    v[3] = four.w;
}

// Tokens as the second operand of m16n8k16, one cluster of blocks for each, in the order that unit_fragment.cuh has, or, where `core` is
// set, of wgmma: matrices of 8 tokens x 8 numbers.
//
//   [k / 128][8 tokens][word j][lane = 4 (token % 8) + t][4 pairs] u32
//   [k / 128][instruction][half of its 16 numbers][8 tokens][token % 8][t] u32
//
// They are multiplied with 1 / sqrt(mean of squares + epsilon) where rms is set, and with norm where there is one, and then
// rounded as the weights ask for; zeros follow up to `padded`, a multiple of 128. A token is multiplied with a power of two
// that brings its largest number near 1024, so that nothing overflows a half; factors has its inverse. Tokens past the last
// are zeros.
//
// A warp has 256 numbers at a time, and a lane the 8 of word j of 32. Those of the first KEPT rounds stay in
// registers from the sums to the result; only longer rows are read again.
template <int FORM> struct TokenWords {
    static const bool NATURAL = FORM == TOKENS_F16 || FORM == TOKENS_BF16;
    const float *from, *norm;
    int k;
    bool aligned, exists;

    // The first numbers of the words of this lane, in the round that begins at base.
    METHOD int block(int base) const { return base + (threadIdx.x & 31 & ~3) * 8; }
    METHOD int first(int base) const { return block(base) + (NATURAL ? 8 : 4) * (threadIdx.x & 3); }
    METHOD int second(int base) const { return first(base) + (NATURAL ? 4 : 16); }
    // Numbers as they are, zeros past the end.
    METHOD void load(float *v, int base) const {
        bool valid = exists && first(base) < k;
        load_four(v, from, first(base), aligned, valid);
        load_four(v + 4, from, second(base), aligned, valid);
    }
    // Their norm, where there is one.
    METHOD void weigh(float *v, int base, float factor) const {
        bool valid = norm && first(base) < k;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            v[i] *= factor;
            if (valid) v[i] *= norm[(i < 4 ? first(base) : second(base) - 4) + i];
        }
    }
    // Adds their squares to sum, and has the largest of them, weighed, in max.
    METHOD void measure(const float *v, int base, float &sum, float &max) const {
        float weighed[8];
#pragma unroll
        for (int i = 0; i < 8; i++) {
            weighed[i] = v[i];
            sum += v[i] * v[i];
        }
        weigh(weighed, base, 1.f);
#pragma unroll
        for (int i = 0; i < 8; i++) max = fmaxf(max, fabsf(weighed[i]));
    }
};

template <int FORM> DEVICE void pack_tokens(
        const float *x, i64 xToken, const float *norm, int rms, float epsilon, int k, int padded, int core, int tokens,
        u32 *packed, float *factors) {
    const int KEPT = 2;
    __shared__ float maxima[32], sums[32], all[2];
    pdl_launch_dependents();
    int blocks = (int) cluster_blocks(), block = (int) cluster_rank(), warps = blockDim.x >> 5;
    int token = blockIdx.x / blocks, tiles = gridDim.x / blocks >> 3, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const float *from = x + token * xToken;
    TokenWords<FORM> words = {from, norm, k, ((u64) from & 15) == 0, token < tokens};
    int begin = (block * warps + warp) * 256, round = blocks * warps * 256;
    pdl_wait();
    float kept[KEPT][8], max = 0.f, sum = 0.f;
#pragma unroll
    for (int i = 0; i < KEPT; i++) words.load(kept[i], begin + i * round);
#pragma unroll
    for (int i = 0; i < KEPT; i++) words.measure(kept[i], begin + i * round, sum, max);
    for (int base = begin + KEPT * round; base < padded; base += round) {
        float v[8];
        words.load(v, base);
        words.measure(v, base, sum, max);
    }
    max = warp_max(max);
    sum = warp_sum(sum);
    if (lane == 0) {
        maxima[warp] = max;
        sums[warp] = sum;
    }
    __syncthreads();
    max = warp_max(lane < warps ? maxima[lane] : 0.f);
    sum = warp_sum(lane < warps ? sums[lane] : 0.f);
    if (blocks > 1) {
        if (threadIdx.x == 0) {
            all[0] = max;
            all[1] = sum;
        }
        cluster_sync();
        max = warp_max(lane < blocks ? load_remote(all, lane) : 0.f);
        sum = warp_sum(lane < blocks ? load_remote(all + 1, lane) : 0.f);
    }
    float factor = rms ? rsqrtf(sum / (float) k + epsilon) : 1.f;
    max *= factor;
    // 2^(9 - exponent of max): the largest becomes 512 .. 1023. Of 0 and of what is not a number, 1.
    int exponent = (int) (__float_as_uint(max) >> 23) - 127;
    bool scaled = max > 0.f && exponent < 128;
    float scale = scaled ? __int_as_float((127 + min(9 - exponent, 120)) << 23) : 1.f;
    if (FORM == TOKENS_BF16) scale = 1.f;
    if (block == 0 && threadIdx.x == 0) factors[token] = 1.f / scale;
    u32 *to = core ? packed + (token >> 3) * 32 + (token & 7) * 4 : packed + (token >> 3) * 512 + (token & 7) * 16;
    auto store = [&](float *v, int base) {
        words.weigh(v, base, factor);
        round_eight<FORM>(v);
        int at = words.block(base), j = lane & 3;
        if (at >= padded) return;
        uint4 pairs = words.NATURAL
                ? make_uint4(pair_of<FORM>(v[0], v[1], scale), pair_of<FORM>(v[2], v[3], scale),
                          pair_of<FORM>(v[4], v[5], scale), pair_of<FORM>(v[6], v[7], scale))
                : make_uint4(pair_of<FORM>(v[0], v[2], scale), pair_of<FORM>(v[4], v[6], scale),
                          pair_of<FORM>(v[1], v[3], scale), pair_of<FORM>(v[5], v[7], scale));
        int t = at >> 5 & 3;
        u32 *step = to + (i64) (at >> 7) * tiles * 512;
        if (!core) {
            *(uint4 *) (step + j * 128 + t * 4) = pairs;
            return;
        }
        step += j * tiles * 128 + t;
        step[0] = pairs.x;
        step[tiles * 32] = pairs.y;
        step[tiles * 64] = pairs.z;
        step[tiles * 96] = pairs.w;
    };
#pragma unroll
    for (int i = 0; i < KEPT; i++) store(kept[i], begin + i * round);
    for (int base = begin + KEPT * round; base < padded; base += round) {
        float v[8];
        words.load(v, base);
        store(v, base);
    }
    // Nobody leaves while another block reads its sums.
    if (blocks > 1) cluster_sync();
}

#define UNIT_TOKENS(name, FORM)                                                                                            \
    extern "C" __global__ void __launch_bounds__(1024) unit_tokens_##name(const float *x, i64 xToken, const float *norm,    \
            int rms, float epsilon, int k, int padded, int core, int tokens, u32 *packed, float *factors) {                \
        pack_tokens<FORM>(x, xToken, norm, rms, epsilon, k, padded, core, tokens, packed, factors);                        \
    }
UNIT_TOKENS(q8_0, TOKENS_Q8_0)
UNIT_TOKENS(q8_K, TOKENS_Q8_K)
UNIT_TOKENS(f16, TOKENS_F16)
UNIT_TOKENS(bf16, TOKENS_BF16)
