// Activations in the form that products with units read: see unit_dot.cuh.
#pragma once
#include "common.cuh"

// Stores four activations of a lane as int8 with a scale; four neighbouring lanes have the 16 whose sum is stored. element
// is a multiple of 4 and counts from the first activation of the steps; all lanes of the warp take part.
DEVICE void store_quantized(const float4 &v, float inverse, float scale, int element, u8 *steps, bool valid) {
    const u32 all = 0xffffffffu;
    int a = __float2int_rn(v.x * inverse), b = __float2int_rn(v.y * inverse);
    int c = __float2int_rn(v.z * inverse), d = __float2int_rn(v.w * inverse);
    int sum = a + b + c + d;
    sum += __shfl_xor_sync(all, sum, 1);
    sum += __shfl_xor_sync(all, sum, 2);
    if (!valid) return;
    u8 *step = steps + (element >> 10) * 1536;
    int lane = element >> 5 & 31, half = element >> 4 & 1;
    *(u32 *) (step + half * 512 + lane * 16 + (element & 15)) =
            (u32) (a & 255) | (u32) (b & 255) << 8 | (u32) (c & 255) << 16 | (u32) d << 24;
    if ((element & 15) == 0) {
        float *scales = (float *) (step + 1024 + lane * 16);
        scales[half] = scale;
        scales[2 + half] = scale * (float) sum;
    }
}

// Publishes activations as int8 with a scale for every 16: four by each of four neighbouring lanes.
DEVICE void quantize4(float4 v, int element, u8 *steps, bool valid) {
    float max = fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w)));
    max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, 1));
    max = fmaxf(max, __shfl_xor_sync(0xffffffffu, max, 2));
    store_quantized(v, max > 0.f ? 127.f / max : 0.f, max * (1.f / 127.f), element, steps, valid);
}
// The same, one by each of 16 neighbouring lanes; returns the sum of square over these lanes.
DEVICE float quantize1(float v, float square, i64 element, u8 *steps, bool valid) {
    const u32 all = 0xffffffffu;
    float max = fabsf(v);
#pragma unroll
    for (int o = 8; o > 0; o >>= 1) {
        max = fmaxf(max, __shfl_xor_sync(all, max, o));
        square += __shfl_xor_sync(all, square, o);
    }
    int q = __float2int_rn(v * (max > 0.f ? __fdividef(127.f, max) : 0.f));
    int sum = q;
#pragma unroll
    for (int o = 8; o > 0; o >>= 1) sum += __shfl_xor_sync(all, sum, o);
    if (!valid) return square;
    u8 *step = steps + (element >> 10) * 1536;
    int lane = (int) (element >> 5 & 31), half = (int) (element >> 4 & 1);
    step[half * 512 + lane * 16 + (element & 15)] = (u8) q;
    if ((element & 15) == 0) {
        float scale = max * (1.f / 127.f);
        float *scales = (float *) (step + 1024 + lane * 16);
        scales[half] = scale;
        scales[2 + half] = scale * (float) sum;
    }
    return square;
}
