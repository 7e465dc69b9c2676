// Rows of a table read and written by number. A number that the table has no row for reads as NaN (of whole numbers as
// zero) and writes nothing. Where a number comes twice in a write, either row stays.
#include "quant_blocks.cuh"
#include "strided.cuh"

DEVICE i64 row_number(const View &numbers, int wide, i64 k, i64 p, i64 q) {
    const u8 *at = element_of(numbers, modulo(k, numbers.ne[0]), modulo(p, numbers.ne[1]), modulo(q, numbers.ne[2]), 0);
    return wide ? *(const i64 *) at : (i64) *(const int *) at;
}

// r[:, k, p, q] = table[:, numbers[k, p, q], p, q] as f32; the table is f32, f16, bf16 or quantised.
KERNEL get_rows_decode(int type, View table, View numbers, View r) {
    begin_dependent();
    for_each_row(r.ne, [&](i64 k, i64 p, i64 q) {
        i64 number = row_number(numbers, 0, k, p, q);
        bool known = number >= 0 && number < table.ne[1];
        const u8 *from = row_of(table, known ? number : 0, p, q);
        u8 *to = row_of(r, k, p, q);
        for_each_column(r.ne[0], [&](i64 i0) {
            float value = __int_as_float(0x7fc00000);
            if (known) {
                bool plain = type == TYPE_F32 || type == TYPE_F16 || type == TYPE_BF16;
                value = plain ? load_float(from + i0 * table.nb[0], type) : decode_at(type, from, table.nb[0], i0);
            }
            *(float *) (to + i0 * r.nb[0]) = value;
        });
    });
}

// The same where the type stays: rows without gaps counted in units of T, unknown ones filled with a unit of `missing`.
template <class T> DEVICE void get_rows_units(const View &table, const View &numbers, const View &r, T missing) {
    for_each_row(r.ne, [&](i64 k, i64 p, i64 q) {
        i64 number = row_number(numbers, 0, k, p, q);
        bool known = number >= 0 && number < table.ne[1];
        const T *from = (const T *) row_of(table, known ? number : 0, p, q);
        T *to = (T *) row_of(r, k, p, q);
        for_each_column(r.ne[0], [&](i64 i0) { to[i0] = known ? from[i0] : missing; });
    });
}
KERNEL get_rows_4(int missing, View table, View numbers, View r) {
    begin_dependent();
    get_rows_units<u32>(table, numbers, r, (u32) missing);
}
KERNEL get_rows_16(int missing, View table, View numbers, View r) {
    begin_dependent();
    get_rows_units<uint4>(table, numbers, r,
                          make_uint4((u32) missing, (u32) missing, (u32) missing, (u32) missing));
}

// table[:, numbers[k, p, q], p, q] = source[:, k, p, q], the numbers repeated over p and q; plain types, no gaps in rows.
KERNEL set_rows_plain(int ts, int tt, int wide, View source, View numbers, View table) {
    begin_dependent();
    i64 ss = ts == TYPE_F32 ? 4 : 2, st = tt == TYPE_F32 ? 4 : 2;
    for_each_row(source.ne, [&](i64 k, i64 p, i64 q) {
        i64 number = row_number(numbers, wide, k, p, q);
        if (number < 0 || number >= table.ne[1]) return;
        const u8 *from = row_of(source, k, p, q);
        u8 *to = row_of(table, number, p, q);
        for_each_column(source.ne[0], [&](i64 i0) { store_float(to + i0 * st, tt, load_float(from + i0 * ss, ts)); });
    });
}
// The same with rows of source and table aligned to four elements.
KERNEL set_rows_plain_4(int ts, int tt, int wide, View source, View numbers, View table) {
    begin_dependent();
    i64 ss = ts == TYPE_F32 ? 4 : 2, st = tt == TYPE_F32 ? 4 : 2;
    for_each_row(source.ne, [&](i64 k, i64 p, i64 q) {
        i64 number = row_number(numbers, wide, k, p, q);
        if (number < 0 || number >= table.ne[1]) return;
        const u8 *from = row_of(source, k, p, q);
        u8 *to = row_of(table, number, p, q);
        for_each_four(
            source.ne[0],
            [&](i64 i0) { store_float4(to + i0 * st, tt, load_float4(from + i0 * ss, ts)); },
            [&](i64 i0) { store_float(to + i0 * st, tt, load_float(from + i0 * ss, ts)); });
    });
}
// The same into blocks of 32 elements; blocks have a multiple of 32 columns of threads, so that a warp is in one block.
KERNEL set_rows_encode(int ts, int format, int wide, View source, View numbers, View table) {
    begin_dependent();
    i64 ss = ts == TYPE_F32 ? 4 : 2;
    int lane = threadIdx.x & 31;
    for_each_row(source.ne, [&](i64 k, i64 p, i64 q) {
        i64 number = row_number(numbers, wide, k, p, q);
        if (number < 0 || number >= table.ne[1]) return;
        const u8 *from = row_of(source, k, p, q);
        u8 *to = row_of(table, number, p, q);
        for_each_column(source.ne[0], [&](i64 i0) {
            encode_block(format, to + (i0 >> 5) * table.nb[0], load_float(from + i0 * ss, ts), lane);
        });
    });
}
