// Arithmetic of a quantised operand with a second one that is repeated over it.
#include "quant_blocks.cuh"
#include "strided.cuh"

// As dev.stowage.cuda.op.strided.BinaryFunction numbers them.
DEVICE float binary(int function, float a, float b) {
    switch (function) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    default: return a / b;
    }
}

// The result is f32, f16 or bf16.
KERNEL binary_decode(int function, int ta, int tb, int tr, View a, View b, View r) {
    begin_dependent();
    for_each_row(r.ne, [&](i64 i1, i64 i2, i64 i3) {
        const u8 *pa = row_of(a, i1, i2, i3);
        const u8 *pb = repeated_row_of(b, i1, i2, i3);
        u8 *pr = row_of(r, i1, i2, i3);
        for_each_column(r.ne[0], [&](i64 i0) {
            float y = load_float(pb + modulo(i0, b.ne[0]) * b.nb[0], tb);
            store_float(pr + i0 * r.nb[0], tr, binary(function, decode_at(ta, pa, a.nb[0], i0), y));
        });
    });
}

// The result has blocks of 32 elements, each written by a warp that has read what it needs before: blocks have a
// multiple of 32 columns of threads, and encoding begins with an exchange between the lanes.
KERNEL binary_encode(int function, int ta, int tb, int format, View a, View b, View r) {
    begin_dependent();
    int lane = threadIdx.x & 31;
    for_each_row(r.ne, [&](i64 i1, i64 i2, i64 i3) {
        const u8 *pa = row_of(a, i1, i2, i3);
        const u8 *pb = repeated_row_of(b, i1, i2, i3);
        u8 *pr = row_of(r, i1, i2, i3);
        for_each_column(r.ne[0], [&](i64 i0) {
            float y = load_float(pb + modulo(i0, b.ne[0]) * b.nb[0], tb);
            float value = binary(function, decode_at(ta, pa, a.nb[0], i0), y);
            encode_block(format, pr + (i0 >> 5) * r.nb[0], value, lane);
        });
    });
}
