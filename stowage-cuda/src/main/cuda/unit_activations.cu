// Activations in the forms that products with units read: int8 with scales, and operands of matrix instructions.
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

// Four numbers, times factor and then times norm where there is one; zeros where they are past the end.
DEVICE void load_four(float *v, const float *x, const float *norm, int at, float factor, bool aligned, bool valid) {
    const float *from = x + at;
    float4 four = make_float4(0.f, 0.f, 0.f, 0.f);
    if (valid)
        four = aligned ? load_float4(from)
                       : make_float4(load_float(from), load_float(from + 1), load_float(from + 2), load_float(from + 3));
    v[0] = four.x * factor;
    v[1] = four.y * factor;
    v[2] = four.z * factor;
    v[3] = four.w * factor;
    if (norm && valid)
#pragma unroll
        for (int i = 0; i < 4; i++) v[i] *= norm[at + i];
}

// Tokens as the second operand of m16n8k16, one block for each, in the order that unit_fragment.cuh has:
//
//   [k / 128][8 tokens][word j][lane = 4 (token % 8) + t][4 pairs] u32
//
// They are multiplied with 1 / sqrt(mean of squares + epsilon) where rms is set, and with norm where there is one, and then
// rounded as the weights ask for. A token is multiplied with a power of two that brings its largest number near 1024, so
// that nothing overflows a half; factors has its inverse. Tokens past the last are zeros.
template <int FORM> DEVICE void pack_tokens(
        const float *x, i64 xToken, const float *norm, int rms, float epsilon, int k, int tokens, u32 *packed, float *factors) {
    const bool NATURAL = FORM == TOKENS_F16 || FORM == TOKENS_BF16;
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
    float factor = rms ? rsqrtf(sum / (float) k + epsilon) : 1.f;
    max *= factor;
    // 2^(9 - exponent of max): the largest becomes 512 .. 1023. Of 0 and of what is not a number, 1.
    int exponent = (int) (__float_as_uint(max) >> 23) - 127;
    bool scaled = max > 0.f && exponent < 128;
    float scale = scaled ? __int_as_float((127 + min(9 - exponent, 120)) << 23) : 1.f;
    if (FORM == TOKENS_BF16) scale = 1.f;
    if (threadIdx.x == 0) factors[token] = 1.f / scale;
    u32 *to = packed + (token >> 3) * 512 + (token & 7) * 16;
    int padded = (k + 127) & ~127;
    bool aligned = ((u64) from & 15) == 0;
    // A warp has 256 activations at a time, and a lane those of word j of a block of 32.
    for (int base = warp * 256; base < padded; base += 8 * 256) {
        int block = base + (lane >> 2) * 32, j = lane & 3;
        int first = block + (NATURAL ? 8 : 4) * j, second = first + (NATURAL ? 4 : 16);
        bool valid = token < tokens && first < k;
        float v[8];
        load_four(v, from, norm, first, factor, aligned, valid);
        load_four(v + 4, from, norm, second, factor, aligned, valid);
        round_eight<FORM>(v);
        if (block >= padded) continue;
        uint4 pairs = NATURAL
                ? make_uint4(pair_of<FORM>(v[0], v[1], scale), pair_of<FORM>(v[2], v[3], scale),
                          pair_of<FORM>(v[4], v[5], scale), pair_of<FORM>(v[6], v[7], scale))
                : make_uint4(pair_of<FORM>(v[0], v[2], scale), pair_of<FORM>(v[4], v[6], scale),
                          pair_of<FORM>(v[1], v[3], scale), pair_of<FORM>(v[5], v[7], scale));
        *(uint4 *) (to + (i64) (block >> 7) * tiles * 512 + j * 128 + (block >> 5 & 3) * 4) = pairs;
    }
}

#define UNIT_TOKENS(name, FORM)                                                                                            \
    extern "C" __global__ void __launch_bounds__(256) unit_tokens_##name(const float *x, i64 xToken, const float *norm,    \
            int rms, float epsilon, int k, int tokens, u32 *packed, float *factors) {                                      \
        pack_tokens<FORM>(x, xToken, norm, rms, epsilon, k, tokens, packed, factors);                                      \
    }
UNIT_TOKENS(q8_0, TOKENS_Q8_0)
UNIT_TOKENS(q8_K, TOKENS_Q8_K)
UNIT_TOKENS(f16, TOKENS_F16)
UNIT_TOKENS(bf16, TOKENS_BF16)
