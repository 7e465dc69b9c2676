// Rows of tensors by their number, elements of the float types, and reductions over the threads of a row.
//
// Kernels that work row by row have blocks of (threads per row) x (rows per block): either 32 x several rows, where a
// warp has a row, or a multiple of 32 x 1, where the block has.
#pragma once
#include "common.cuh"

struct f16 { u16 bits; };
struct bf16 { u16 bits; };

DEVICE float to_float(float v) { return v; }
DEVICE float to_float(f16 v) { return half_to_float(v.bits); }
DEVICE float to_float(bf16 v) { return bfloat_to_float(v.bits); }

template <typename T> struct Rounded;
template <> struct Rounded<float> { static __device__ __forceinline__ float of(float v) { return v; } };
template <> struct Rounded<f16> { static __device__ __forceinline__ f16 of(float v) { return {float_to_half(v)}; } };
template <> struct Rounded<bf16> { static __device__ __forceinline__ bf16 of(float v) { return {float_to_bfloat(v)}; } };

template <typename T> DEVICE float load(const u8 *at) { return to_float(*(const T *) at); }
template <typename T> DEVICE void store(u8 *at, float v) { *(T *) at = Rounded<T>::of(v); }

DEVICE float infinity() { return __int_as_float(0x7f800000); }
DEVICE bool is_nan(float v) { return v != v; }

// The indices of a row in dimensions 1 to 3.
struct RowIndex {
    u32 i1, i2, i3;
};

// Row number `row` of a shape with fewer than 2^31 rows, dimension 1 running fastest.
DEVICE RowIndex row_index(u32 row, const View &shape) {
    u32 n1 = (u32) shape.ne[1], n2 = (u32) shape.ne[2];
    u32 over1 = row / n1;
    u32 i3 = over1 / n2;
    return {row - over1 * n1, over1 - i3 * n2, i3};
}

DEVICE u8 *row_at(const View &t, RowIndex r) {
    return t.data + (i64) r.i1 * t.nb[1] + (i64) r.i2 * t.nb[2] + (i64) r.i3 * t.nb[3];
}

// The row of a tensor that repeats over a larger shape.
DEVICE u8 *repeated_row_at(const View &t, RowIndex r) {
    return row_at(t, {r.i1 % (u32) t.ne[1], r.i2 % (u32) t.ne[2], r.i3 % (u32) t.ne[3]});
}

DEVICE i64 row_count(const View &t) { return t.ne[1] * t.ne[2] * t.ne[3]; }

// The row of this thread, as blocks of several rows number them.
DEVICE i64 row_of_thread() { return (i64) blockIdx.x * blockDim.y + threadIdx.y; }

// The sum of the values of all threads of a row, in every one of them. All threads of the block must get here where
// the block has one row.
DEVICE float row_sum(float v) {
    v = warp_sum(v);
    if (blockDim.x == 32) return v;
    __shared__ float parts[32];
    __syncthreads(); // the reduction before this one may still be reading
    if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = v;
    __syncthreads();
    v = (threadIdx.x & 31) < blockDim.x >> 5 ? parts[threadIdx.x & 31] : 0.f;
    return warp_sum(v);
}

// As row_sum, the largest that is not NaN.
DEVICE float row_max(float v) {
    v = warp_max(v);
    if (blockDim.x == 32) return v;
    __shared__ float parts[32];
    __syncthreads();
    if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = v;
    __syncthreads();
    v = (threadIdx.x & 31) < blockDim.x >> 5 ? parts[threadIdx.x & 31] : -infinity();
    return warp_max(v);
}
