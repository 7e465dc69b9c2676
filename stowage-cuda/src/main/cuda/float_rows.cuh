// Rows of f32, f16 and bf16 as floats, eight elements at a time, whatever their strides.
#pragma once
#include "common.cuh"

DEVICE float load_element(const u8 *p, int type) {
    return type == TYPE_F32 ? *(const float *) p
         : type == TYPE_F16 ? half_to_float(*(const u16 *) p)
                            : bfloat_to_float(*(const u16 *) p);
}

struct EightFloats {
    float v[8];
};

// Elements k to k + 7 of a row of f32, f16 or bf16; zeros from `count` on. The slow way to read any row, a function of
// its own so that it is not repeated in every kernel for every column.
static __device__ __noinline__ EightFloats load_strided(const u8 *row, i64 stride, int type, u32 k, u32 count) {
    EightFloats e;
#pragma unroll
    for (int j = 0; j < 8; j++) e.v[j] = k + j < count ? load_element(row + (i64) (k + j) * stride, type) : 0.0f;
    return e;
}
DEVICE void load_plain_row(const u8 *row, i64 stride, int type, u32 k, u32 count, float *v) {
    const EightFloats e = load_strided(row, stride, type, k, count);
#pragma unroll
    for (int j = 0; j < 8; j++) v[j] = e.v[j];
}

// Eight floats at a multiple of 16 bytes.
DEVICE void load_eight_floats(const float *p, float *v) {
    const float4 low = *(const float4 *) p, high = *(const float4 *) (p + 4);
    v[0] = low.x, v[1] = low.y, v[2] = low.z, v[3] = low.w;
    v[4] = high.x, v[5] = high.y, v[6] = high.z, v[7] = high.w;
}

// Whether rows are without gaps and all begin at multiples of 16 bytes.
DEVICE bool has_vector_rows(const View &v, int element_bytes) {
    return v.nb[0] == element_bytes && (((u64) v.data | (u64) v.nb[1] | (u64) v.nb[2] | (u64) v.nb[3]) & 15) == 0;
}

// Elements k to k + 7 of rows of f32, f16 or bf16, k a multiple of 8, zeros after their end; fast for f32 with
// vector rows.
struct Factor {
    i64 stride;
    u32 count;
    int type;
    bool is_vector;

    __device__ __forceinline__ Factor(const View &v, int t)
        : stride(v.nb[0]), count((u32) v.ne[0]), type(t), is_vector(t == TYPE_F32 && has_vector_rows(v, 4)) {}

    __device__ __forceinline__ void load(const u8 *row, u32 k, float *v) const {
        if (is_vector && k + 8 <= count) {
            load_eight_floats((const float *) row + k, v);
        } else {
            load_plain_row(row, stride, type, k, count, v);
        }
    }
};

// The other factor of f16 and bf16 is rounded to the same type, as ggml's processor kernels do; that of f32 stays.
template <int T> DEVICE float round_half(float v) {
    return T == TYPE_F16 ? half_to_float(float_to_half(v)) : T == TYPE_BF16 ? bfloat_to_float(float_to_bfloat(v)) : v;
}
