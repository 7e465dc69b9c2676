// Rows of any type as floats, eight elements at a time, whatever their strides: what the generic products read.
#pragma once
#include "block_formats.cuh"

DEVICE float load_element(const u8 *p, int type) {
    return type == TYPE_F32 ? *(const float *) p
         : type == TYPE_F16 ? half_to_float(*(const u16 *) p)
                            : bfloat_to_float(*(const u16 *) p);
}

// Elements k to k + 7 of a row of f32, f16 or bf16; zeros from `count` on.
DEVICE void load_plain_row(const u8 *row, i64 stride, int type, i64 k, i64 count, float *v) {
#pragma unroll
    for (int j = 0; j < 8; j++) v[j] = k + j < count ? load_element(row + (k + j) * stride, type) : 0.0f;
}

// Elements k to k + 7 of a row of type T, k a multiple of 8. `stride` is between elements, or between blocks.
template <int T> struct Row {
    DEVICE void load(const u8 *row, i64 stride, i64 k, i64 count, float *v) {
        Blocks<T>::decode(row + k / Blocks<T>::SIZE * stride, (int) (k % Blocks<T>::SIZE), v);
    }
};
template <> struct Row<TYPE_F32> {
    DEVICE void load(const u8 *row, i64 stride, i64 k, i64 count, float *v) {
        load_plain_row(row, stride, TYPE_F32, k, count, v);
    }
};
template <> struct Row<TYPE_F16> {
    DEVICE void load(const u8 *row, i64 stride, i64 k, i64 count, float *v) {
        load_plain_row(row, stride, TYPE_F16, k, count, v);
    }
};
template <> struct Row<TYPE_BF16> {
    DEVICE void load(const u8 *row, i64 stride, i64 k, i64 count, float *v) {
        load_plain_row(row, stride, TYPE_BF16, k, count, v);
    }
};

// Rows of f32, f16 or bf16 with any strides, such as the second factor of a product.
struct Factor {
    View view;
    int type;
    bool is_vector;  // without gaps in a row, and every row at a multiple of 16 bytes

    __device__ __forceinline__ Factor(const View &v, int t) : view(v), type(t) {
        is_vector = v.nb[0] == (t == TYPE_F32 ? 4 : 2)
                && (((u64) v.data | (u64) v.nb[1] | (u64) v.nb[2] | (u64) v.nb[3]) & 15) == 0;
    }

    // Elements k to k + 7 of the row at `row`, k a multiple of 8; zeros after its end.
    __device__ __forceinline__ void load(const u8 *row, i64 k, float *v) const {
        if (!is_vector || k + 8 > view.ne[0]) {
            load_plain_row(row, view.nb[0], type, k, view.ne[0], v);
        } else if (type == TYPE_F32) {
            const float4 low = *(const float4 *) (row + k * 4), high = *(const float4 *) (row + k * 4 + 16);
            v[0] = low.x, v[1] = low.y, v[2] = low.z, v[3] = low.w;
            v[4] = high.x, v[5] = high.y, v[6] = high.z, v[7] = high.w;
        } else {
            const uint4 bits = *(const uint4 *) (row + k * 2);
            const u32 words[4] = {bits.x, bits.y, bits.z, bits.w};
#pragma unroll
            for (int j = 0; j < 8; j++) {
                const u16 half = (u16) (words[j / 2] >> (16 * (j & 1)));
                v[j] = type == TYPE_F16 ? half_to_float(half) : bfloat_to_float(half);
            }
        }
    }
};

// Calls X(suffix of kernel names, type) for every type of rows.
#define FOR_EACH_PLAIN_TYPE(X) X(f32, TYPE_F32) X(f16, TYPE_F16) X(bf16, TYPE_BF16)
#define FOR_EACH_ROW_TYPE(X) FOR_EACH_PLAIN_TYPE(X) FOR_EACH_BLOCK_FORMAT(X)
