// The other factor of the generic products: rows of a tensor, or rows that were rounded before.
#pragma once
#include "row_decode.cuh"

// Rows of a tensor of f32, f16 or bf16, rounded as rows of type T ask for.
template <int T> struct TensorColumns {
    const View &view;
    Factor factor;
    __device__ __forceinline__ TensorColumns(const View &v, int type) : view(v), factor(v, type) {}
    __device__ __forceinline__ const u8 *row(u32 i1, u32 i2, u32 i3, u32, u32) const {
        return view.data + i1 * view.nb[1] + i2 * view.nb[2] + i3 * view.nb[3];
    }
    // Elements k to k + 7 of row `c` after that one.
    __device__ __forceinline__ void load(const u8 *row, int c, u32 k, float *v) const {
        factor.load(row + c * view.nb[1], k, v);
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = round_half<T>(v[j]);
    }
};

// Rows that were rounded before (see round_rows.cu): f32 without gaps, ne1 of them in a matrix.
struct RoundedColumns {
    const float *data;
    u32 depth;
    __device__ __forceinline__ const u8 *row(u32 i1, u32 i2, u32 i3, u32 ne1, u32 ne2) const {
        return (const u8 *) (data + (((u64) i3 * ne2 + i2) * ne1 + i1) * depth);
    }
    __device__ __forceinline__ void load(const u8 *row, int c, u32 k, float *v) const {
        load_eight_floats((const float *) row + (u64) c * depth + k, v);
    }
};
