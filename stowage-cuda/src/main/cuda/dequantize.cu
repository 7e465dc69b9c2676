// Rows of any type as rows of f16 or bf16 for the tensor cores: weights decoded, and activations that are multiplied with
// f16 or bf16 rounded to that; round_rows.cu has those for quantised weights. One thread writes eight elements as 16 bytes.
#include "row_decode.cuh"

struct ToHalf {
    DEVICE u32 pair(float a, float b) { return float_to_half(a) | (u32) float_to_half(b) << 16; }
};
struct ToBfloat {
    DEVICE u32 pair(float a, float b) { return float_to_bfloat(a) | (u32) float_to_bfloat(b) << 16; }
};

template <typename To> DEVICE void store_eight(u16 *out, const float *v) {
    *(uint4 *) out = make_uint4(To::pair(v[0], v[1]), To::pair(v[2], v[3]), To::pair(v[4], v[5]), To::pair(v[6], v[7]));
}

// Rows `first` to `first + count - 1` of a tensor, counted over dimensions 1 to 3, as rows of `length` elements, `stride`
// apart. Both are multiples of 8; what rows have more than those of the tensor is zero.
template <int T, typename To>
DEVICE void narrow_rows(const View &rows, u32 first, u32 count, u16 *out, u32 length, u32 stride) {
    pdl_launch_dependents();
    pdl_wait();
    const u32 chunks = length / 8;
    const u32 unit = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 row = unit / chunks, k = unit % chunks * 8;
    if (row >= count) return;
    const u32 r = first + row, ne1 = (u32) rows.ne[1], ne2 = (u32) rows.ne[2];
    const u8 *from = rows.data + r % ne1 * rows.nb[1] + r / ne1 % ne2 * rows.nb[2] + r / ne1 / ne2 * rows.nb[3];
    float v[8];
    if (T == TYPE_F32) {
        Factor(rows, T).load(from, k, v);
    } else {
        Row<T>::load(from, rows.nb[0], k, (u32) rows.ne[0], v);
    }
    store_eight<To>(out + (i64) row * stride + k, v);
}

#define TO_HALF(suffix, type) \
    KERNEL to_half_##suffix(View rows, unsigned first, unsigned count, u16 *out, unsigned length, \
            unsigned stride) { \
        narrow_rows<type, ToHalf>(rows, first, count, out, length, stride); \
    }
FOR_EACH_ROW_TYPE(TO_HALF)

#define TO_BFLOAT(suffix, type) \
    KERNEL to_bfloat_##suffix(View rows, unsigned first, unsigned count, u16 *out, unsigned length, \
            unsigned stride) { \
        narrow_rows<type, ToBfloat>(rows, first, count, out, length, stride); \
    }
FOR_EACH_PLAIN_TYPE(TO_BFLOAT)

// The rows of `b` in the order of a list of pairs (see group_pairs.cu), as rows of `length` elements without gaps. Pair
// e + t * used is the row (e modulo the rows of a token, t); -1 is no pair.
template <typename To>
DEVICE void gather_rows(const View &bv, int b_type, const int *pairs, u32 count, u32 used, u16 *out, u32 length) {
    pdl_launch_dependents();
    pdl_wait();
    const u32 chunks = length / 8;
    const u32 unit = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 slot = unit / chunks, k = unit % chunks * 8;
    if (slot >= count) return;
    const int pair = pairs[slot];
    float v[8] = {};
    if (pair >= 0) {
        const u32 e = pair % used, t = pair / used;
        const Factor b(bv, b_type);
        b.load(bv.data + e % (u32) bv.ne[1] * bv.nb[1] + t * bv.nb[2], k, v);
    }
    store_eight<To>(out + (i64) slot * length + k, v);
}

KERNEL gather_half(View b, int b_type, const int *pairs, unsigned count, unsigned used, u16 *out, unsigned length) {
    gather_rows<ToHalf>(b, b_type, pairs, count, used, out, length);
}
KERNEL gather_bfloat(View b, int b_type, const int *pairs, unsigned count, unsigned used, u16 *out, unsigned length) {
    gather_rows<ToBfloat>(b, b_type, pairs, count, used, out, length);
}
