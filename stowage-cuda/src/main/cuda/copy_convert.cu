// Copies between types: plain ones, from blocks, and into blocks.
#include "quant_blocks.cuh"
#include "strided.cuh"

DEVICE bool is_integer(int type) { return type >= TYPE_I8 && type <= TYPE_I64; }
DEVICE bool is_plain_float(int type) { return type == TYPE_F32 || type == TYPE_F16 || type == TYPE_BF16; }

DEVICE i64 load_integer(const u8 *at, int type) {
    switch (type) {
    case TYPE_I8: return *(const i8 *) at;
    case TYPE_I16: return *(const i16 *) at;
    case TYPE_I32: return *(const int *) at;
    default: return *(const i64 *) at;
    }
}
DEVICE void store_integer(u8 *at, int type, i64 value) {
    switch (type) {
    case TYPE_I8: *(i8 *) at = (i8) value; break;
    case TYPE_I16: *(i16 *) at = (i16) value; break;
    case TYPE_I32: *(int *) at = (int) value; break;
    default: *(i64 *) at = value;
    }
}
// An element of a row of any type as a float; whole numbers are rounded by way of a double.
DEVICE float load_any(const u8 *row, int type, i64 stride, i64 i0) {
    if (is_plain_float(type)) return load_float(row + i0 * stride, type);
    if (is_integer(type)) return (float) (double) load_integer(row + i0 * stride, type);
    return decode_at(type, row, stride, i0);
}
// Rounds towards zero where the target has whole numbers; NaN becomes 0.
DEVICE void store_plain(u8 *at, int type, float value) {
    if (is_integer(type)) {
        store_integer(at, type, value == value ? (i64) value : 0);
    } else {
        store_float(at, type, value);
    }
}
DEVICE void convert_element(const u8 *row, int tf, i64 stride, i64 i0, u8 *to, int tt) {
    if (is_integer(tf) && is_integer(tt)) {
        store_integer(to, tt, load_integer(row + i0 * stride, tf));
    } else {
        store_plain(to, tt, load_any(row, tf, stride, i0));
    }
}

// Tensors of the same shape and any strides; from any type to a plain one.
KERNEL convert_strided(int tf, int tt, View from, View to) {
    begin_dependent();
    for_each_row(to.ne, [&](i64 i1, i64 i2, i64 i3) {
        const u8 *pf = row_of(from, i1, i2, i3);
        u8 *pt = row_of(to, i1, i2, i3);
        for_each_column(to.ne[0], [&](i64 i0) { convert_element(pf, tf, from.nb[0], i0, pt + i0 * to.nb[0], tt); });
    });
}

// Between f32, f16 and bf16, without gaps in a row, rows aligned to four elements.
KERNEL convert_rows(int tf, int tt, View from, View to) {
    begin_dependent();
    i64 sf = tf == TYPE_F32 ? 4 : 2, st = tt == TYPE_F32 ? 4 : 2;
    for_each_row(to.ne, [&](i64 i1, i64 i2, i64 i3) {
        const u8 *pf = row_of(from, i1, i2, i3);
        u8 *pt = row_of(to, i1, i2, i3);
        for_each_four(
            to.ne[0],
            [&](i64 i0) { store_float4(pt + i0 * st, tt, load_float4(pf + i0 * sf, tf)); },
            [&](i64 i0) { store_float(pt + i0 * st, tt, load_float(pf + i0 * sf, tf)); });
    });
}

// Tensors of different shapes with as many elements, which correspond in order; plain types.
KERNEL convert_in_order(int tf, int tt, View from, View to) {
    begin_dependent();
    for_each_element(to.ne, [&](i64 i0, i64 i1, i64 i2, i64 i3) {
        i64 n = ((i3 * to.ne[2] + i2) * to.ne[1] + i1) * to.ne[0] + i0;
        i64 n1 = n / from.ne[0], n2 = n1 / from.ne[1], n3 = n2 / from.ne[2];
        const u8 *row = row_of(from, n1 - n2 * from.ne[1], n2 - n3 * from.ne[2], n3);
        convert_element(row, tf, from.nb[0], n - n1 * from.ne[0], element_of(to, i0, i1, i2, i3), tt);
    });
}

// From any type into blocks of 32 elements; blocks have a multiple of 32 columns of threads, so that a warp is in one
// block.
KERNEL convert_encode(int tf, int format, View from, View to) {
    begin_dependent();
    int lane = threadIdx.x & 31;
    for_each_row(to.ne, [&](i64 i1, i64 i2, i64 i3) {
        const u8 *pf = row_of(from, i1, i2, i3);
        u8 *pt = row_of(to, i1, i2, i3);
        for_each_column(to.ne[0], [&](i64 i0) {
            encode_block(format, pt + (i0 >> 5) * to.nb[0], load_any(pf, tf, from.nb[0], i0), lane);
        });
    });
}
