// Arithmetic of two operands, the second repeated over the first, and rows added by number.
#include "strided.cuh"

// As dev.stowage.cuda.op.strided.BinaryFunction numbers them.
enum BinaryFunction { BINARY_ADD, BINARY_SUB, BINARY_MUL, BINARY_DIV };

struct Add { static __device__ __forceinline__ float of(float a, float b) { return a + b; } };
struct Sub { static __device__ __forceinline__ float of(float a, float b) { return a - b; } };
struct Mul { static __device__ __forceinline__ float of(float a, float b) { return a * b; } };
struct Div { static __device__ __forceinline__ float of(float a, float b) { return a / b; } };

// Any strides, f32, f16 and bf16 in any combination.
template <class F> DEVICE void binary_any(int ta, int tb, int tr, const View &a, const View &b, const View &r) {
    for_each_row(r.ne, [&](i64 i1, i64 i2, i64 i3) {
        const u8 *pa = row_of(a, i1, i2, i3);
        const u8 *pb = repeated_row_of(b, i1, i2, i3);
        u8 *pr = row_of(r, i1, i2, i3);
        for_each_column(r.ne[0], [&](i64 i0) {
            float x = load_float(pa + i0 * a.nb[0], ta);
            float y = load_float(pb + modulo(i0, b.ne[0]) * b.nb[0], tb);
            store_float(pr + i0 * r.nb[0], tr, F::of(x, y));
        });
    });
}

KERNEL binary_strided(int function, int ta, int tb, int tr, View a, View b, View r) {
    begin_dependent();
    switch (function) {
    case BINARY_ADD: binary_any<Add>(ta, tb, tr, a, b, r); break;
    case BINARY_SUB: binary_any<Sub>(ta, tb, tr, a, b, r); break;
    case BINARY_MUL: binary_any<Mul>(ta, tb, tr, a, b, r); break;
    default: binary_any<Div>(ta, tb, tr, a, b, r);
    }
}

// All f32 and without gaps in a row, rows aligned to 16 bytes; the second operand has rows as long as the first, or of
// a single element.
template <class F> DEVICE void binary_rows(const View &a, const View &b, const View &r) {
    bool single = b.ne[0] == 1 && r.ne[0] != 1;
    for_each_row(r.ne, [&](i64 i1, i64 i2, i64 i3) {
        const float *pa = (const float *) row_of(a, i1, i2, i3);
        const float *pb = (const float *) repeated_row_of(b, i1, i2, i3);
        float *pr = (float *) row_of(r, i1, i2, i3);
        for_each_four(
            r.ne[0],
            [&](i64 i0) {
                float4 x = *(const float4 *) (pa + i0);
                float4 y = single ? make_float4(*pb, *pb, *pb, *pb) : *(const float4 *) (pb + i0);
                *(float4 *) (pr + i0) =
                    make_float4(F::of(x.x, y.x), F::of(x.y, y.y), F::of(x.z, y.z), F::of(x.w, y.w));
            },
            [&](i64 i0) { pr[i0] = F::of(pa[i0], single ? *pb : pb[i0]); });
    });
}

KERNEL binary_rows_f32(int function, View a, View b, View r) {
    begin_dependent();
    switch (function) {
    case BINARY_ADD: binary_rows<Add>(a, b, r); break;
    case BINARY_SUB: binary_rows<Sub>(a, b, r); break;
    case BINARY_MUL: binary_rows<Mul>(a, b, r); break;
    default: binary_rows<Div>(a, b, r);
    }
}

// r[:, e, t] = a[:, e, t] + b[:, ids[e, t]]; an id that b has no row for gives NaN.
KERNEL add_id_f32(View a, View b, View ids, View r) {
    begin_dependent();
    for_each_row(r.ne, [&](i64 i1, i64 i2, i64 i3) {
        i64 id = *(const int *) element_of(ids, i1, i2, 0, 0);
        bool known = id >= 0 && id < b.ne[1];
        const u8 *pa = row_of(a, i1, i2, i3);
        const u8 *pb = row_of(b, known ? id : 0, 0, 0);
        u8 *pr = row_of(r, i1, i2, i3);
        for_each_column(r.ne[0], [&](i64 i0) {
            float added = known ? *(const float *) (pb + i0 * b.nb[0]) : __int_as_float(0x7fc00000);
            *(float *) (pr + i0 * r.nb[0]) = *(const float *) (pa + i0 * a.nb[0]) + added;
        });
    });
}
