// Activations in the forms that products with units read: int8 with scales, and operands of matrix instructions.
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

// Tokens as the second operand of m16n8k16, one block for each, in the order that unit_fragment.cuh has:
//
//   [k / 128][8 tokens][word j][lane = 4 (token % 8) + t][4 pairs] u32
//
// A token is multiplied with a power of two that brings its largest number near 1024, so that nothing overflows a half;
// factors has its inverse, times 1 / sqrt(mean of squares + epsilon) where rms is set. Tokens past the last are zeros.
template <bool BF16, bool NATURAL> DEVICE void pack_tokens(
        const float *x, i64 xToken, const float *norm, int rms, float epsilon, int k, int tokens, u32 *packed, float *factors) {
    __shared__ float maxima[8], sums[8];
    pdl_launch_dependents();
    pdl_wait();
    int token = blockIdx.x, tiles = gridDim.x >> 3, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const float *from = x + token * xToken;
    float max = 0.f, sum = 0.f;
    if (token < tokens)
        for (int i = threadIdx.x; i < k; i += 256) {
            float v = load_float(from + i);
            sum += v * v;
            max = fmaxf(max, fabsf(norm ? v * norm[i] : v));
        }
    max = warp_max(max);
    sum = warp_sum(sum);
    if (lane == 0) {
        maxima[warp] = max;
        sums[warp] = sum;
    }
    __syncthreads();
    max = sum = 0.f;
    for (int i = 0; i < 8; i++) {
        max = fmaxf(max, maxima[i]);
        sum += sums[i];
    }
    // 2^(9 - exponent of max): the largest becomes 512 .. 1023. Of 0 and of what is not a number, 1.
    int exponent = (int) (__float_as_uint(max) >> 23) - 127;
    bool scaled = max > 0.f && exponent < 128;
    float scale = scaled ? __int_as_float((127 + min(9 - exponent, 120)) << 23) : 1.f;
    if (BF16) scale = 1.f;
    if (threadIdx.x == 0) factors[token] = (rms ? rsqrtf(sum / (float) k + epsilon) : 1.f) / scale;
    int words = (k + 127) / 128 * 64;
    u32 *to = packed + (token >> 3) * 512 + (token & 7) * 16;
    for (int i = threadIdx.x; i < words; i += 256) {
        // Pair p of word j of thread t of the quad, of 128 activations.
        int p = i & 3, t = i >> 2 & 3, j = i >> 4 & 3, step = i >> 6;
        int first = NATURAL ? 8 * j + 2 * p : 4 * j + (p & 1) * 16 + (p >> 1);
        int second = first + (NATURAL ? 1 : 2);
        int base = step * 128 + t * 32;
        float a = 0.f, b = 0.f;
        if (token < tokens && base + first < k) a = load_float(from + base + first) * (norm ? norm[base + first] : 1.f);
        if (token < tokens && base + second < k) b = load_float(from + base + second) * (norm ? norm[base + second] : 1.f);
        u32 pair = BF16 ? float_to_bfloat(a) | (u32) float_to_bfloat(b) << 16
                        : float_to_half(a * scale) | (u32) float_to_half(b * scale) << 16;
        to[(i64) step * tiles * 512 + j * 128 + t * 4 + p] = pair;
    }
}

#define UNIT_TOKENS(name, BF16, NATURAL)                                                                                   \
    extern "C" __global__ void __launch_bounds__(256) unit_tokens_##name(const float *x, i64 xToken, const float *norm,    \
            int rms, float epsilon, int k, int tokens, u32 *packed, float *factors) {                                      \
        pack_tokens<BF16, NATURAL>(x, xToken, norm, rms, epsilon, k, tokens, packed, factors);                             \
    }
UNIT_TOKENS(quantized, false, false)
UNIT_TOKENS(f16, false, true)
UNIT_TOKENS(bf16, true, true)
