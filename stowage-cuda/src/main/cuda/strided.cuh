// How kernels that compute element by element divide a tensor among threads, and how they read elements of any type.
//
//   blockIdx.x, threadIdx.y    rows: the three outer indices, flattened
//   blockIdx.y, threadIdx.x    columns: the innermost index
//
// Both loop, so that any grid covers all elements; mostly a thread has one of each, so that the loops are not unrolled,
// which would only take registers. There are fewer than 2^31 rows; the host checks that.
#pragma once
#include "common.cuh"

// Every kernel on this grid is launched as a dependent one: lets the next one begin and waits for the one before.
DEVICE void begin_dependent() {
    pdl_launch_dependents();
    pdl_wait();
}

// Calls body(i1, i2, i3) for the rows of this thread.
template <class Body> DEVICE void for_each_row(const i64 (&ne)[4], Body body) {
    u32 ne1 = (u32) ne[1], ne2 = (u32) ne[2];
    u32 rows = ne1 * ne2 * (u32) ne[3];
#pragma unroll 1
    for (u32 row = blockIdx.x * blockDim.y + threadIdx.y; row < rows; row += gridDim.x * blockDim.y) {
        u32 plane = row / ne1;
        body((i64) (row - plane * ne1), (i64) (plane % ne2), (i64) (plane / ne2));
    }
}

// Calls body(i0) for the columns of this thread.
template <class Body> DEVICE void for_each_column(i64 columns, Body body) {
    i64 step = (i64) gridDim.y * blockDim.x;
#pragma unroll 1
    for (i64 i0 = (i64) blockIdx.y * blockDim.x + threadIdx.x; i0 < columns; i0 += step) body(i0);
}

// Calls body(i0, i1, i2, i3) for the elements of this thread.
template <class Body> DEVICE void for_each_element(const i64 (&ne)[4], Body body) {
    for_each_row(ne, [&](i64 i1, i64 i2, i64 i3) {
        for_each_column(ne[0], [&](i64 i0) { body(i0, i1, i2, i3); });
    });
}

DEVICE u8 *row_of(const View &v, i64 i1, i64 i2, i64 i3) {
    return v.data + i1 * v.nb[1] + i2 * v.nb[2] + i3 * v.nb[3];
}
DEVICE u8 *element_of(const View &v, i64 i0, i64 i1, i64 i2, i64 i3) {
    return row_of(v, i1, i2, i3) + i0 * v.nb[0];
}

// i % n for a non-negative i, without a division where it can be avoided, and without one of 64 bits where that can.
DEVICE i64 modulo(i64 i, i64 n) {
    if (i < n) return i;
    if (((i | n) >> 32) == 0) return (i64) ((u32) i % (u32) n);
    return i % n;
}
// The row of a tensor that repeats over a larger one.
DEVICE u8 *repeated_row_of(const View &v, i64 i1, i64 i2, i64 i3) {
    return row_of(v, modulo(i1, v.ne[1]), modulo(i2, v.ne[2]), modulo(i3, v.ne[3]));
}

// The types of element-wise arithmetic: f32, f16 and bf16.
DEVICE float load_float(const u8 *at, int type) {
    switch (type) {
    case TYPE_F32: return *(const float *) at;
    case TYPE_F16: return half_to_float(*(const u16 *) at);
    default: return bfloat_to_float(*(const u16 *) at);
    }
}
DEVICE void store_float(u8 *at, int type, float value) {
    switch (type) {
    case TYPE_F32: *(float *) at = value; break;
    case TYPE_F16: *(u16 *) at = float_to_half(value); break;
    default: *(u16 *) at = float_to_bfloat(value);
    }
}

// Four neighbours at once: 16 bytes of f32, 8 bytes of the others, aligned to that.
DEVICE float4 load_float4(const u8 *at, int type) {
    if (type == TYPE_F32) return *(const float4 *) at;
    ushort4 h = *(const ushort4 *) at;
    if (type == TYPE_F16)
        return make_float4(half_to_float(h.x), half_to_float(h.y), half_to_float(h.z), half_to_float(h.w));
    return make_float4(bfloat_to_float(h.x), bfloat_to_float(h.y), bfloat_to_float(h.z), bfloat_to_float(h.w));
}
DEVICE void store_float4(u8 *at, int type, float4 v) {
    if (type == TYPE_F32) {
        *(float4 *) at = v;
    } else if (type == TYPE_F16) {
        *(ushort4 *) at = make_ushort4(float_to_half(v.x), float_to_half(v.y), float_to_half(v.z), float_to_half(v.w));
    } else {
        *(ushort4 *) at =
            make_ushort4(float_to_bfloat(v.x), float_to_bfloat(v.y), float_to_bfloat(v.z), float_to_bfloat(v.w));
    }
}

// The work on rows whose elements have no gaps: four(i0) for every four elements, one(i0) for the up to three after them.
// Blocks have at least four columns of threads.
template <class Four, class One> DEVICE void for_each_four(i64 columns, Four four, One one) {
    for_each_column(columns >> 2, [&](i64 q) { four(q << 2); });
    i64 rest = (columns & ~3LL) + threadIdx.x;
    if (blockIdx.y == 0 && rest < columns) one(rest);
}
