// Rows of any type as floats, eight elements at a time, whatever their strides: what the generic products read.
#pragma once
#include "block_formats.cuh"
#include "float_rows.cuh"

// Elements k to k + 7 of a row of type T, k a multiple of 8. `stride` is between elements, or between blocks.
template <int T> struct Row {
    DEVICE void load(const u8 *row, i64 stride, u32 k, u32 count, float *v) {
        Blocks<T>::decode(row + k / Blocks<T>::SIZE * stride, (int) (k % Blocks<T>::SIZE), v);
    }
};
template <> struct Row<TYPE_F32> {
    DEVICE void load(const u8 *row, i64 stride, u32 k, u32 count, float *v) {
        load_plain_row(row, stride, TYPE_F32, k, count, v);
    }
};
template <> struct Row<TYPE_F16> {
    DEVICE void load(const u8 *row, i64 stride, u32 k, u32 count, float *v) {
        load_plain_row(row, stride, TYPE_F16, k, count, v);
    }
};
template <> struct Row<TYPE_BF16> {
    DEVICE void load(const u8 *row, i64 stride, u32 k, u32 count, float *v) {
        load_plain_row(row, stride, TYPE_BF16, k, count, v);
    }
};

// Calls X(suffix of kernel names, type) for every type of rows.
#define FOR_EACH_PLAIN_TYPE(X) X(f32, TYPE_F32) X(f16, TYPE_F16) X(bf16, TYPE_BF16)
#define FOR_EACH_ROW_TYPE(X) FOR_EACH_PLAIN_TYPE(X) FOR_EACH_BLOCK_FORMAT(X)
