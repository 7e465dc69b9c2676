// Gated linear units of two tensors, element by element.
#include "glu.cuh"
#include "strided.cuh"

// Any strides; f32, f16 or bf16. Only addresses and strides of gate and up count.
KERNEL glu_strided(int function, float alpha, float limit, int type, View gate, View up, View r) {
    begin_dependent();
    for_each_row(r.ne, [&](i64 i1, i64 i2, i64 i3) {
        const u8 *pg = row_of(gate, i1, i2, i3);
        const u8 *pu = row_of(up, i1, i2, i3);
        u8 *pr = row_of(r, i1, i2, i3);
        for_each_column(r.ne[0], [&](i64 i0) {
            float g = load_float(pg + i0 * gate.nb[0], type);
            float u = load_float(pu + i0 * up.nb[0], type);
            store_float(pr + i0 * r.nb[0], type, glu(function, g, u, alpha, limit));
        });
    });
}

// Without gaps in a row, rows aligned to four elements.
KERNEL glu_rows(int function, float alpha, float limit, int type, View gate, View up, View r) {
    begin_dependent();
    i64 size = type == TYPE_F32 ? 4 : 2;
    for_each_row(r.ne, [&](i64 i1, i64 i2, i64 i3) {
        const u8 *pg = row_of(gate, i1, i2, i3);
        const u8 *pu = row_of(up, i1, i2, i3);
        u8 *pr = row_of(r, i1, i2, i3);
        for_each_four(
            r.ne[0],
            [&](i64 i0) {
                float4 g = load_float4(pg + i0 * size, type);
                float4 u = load_float4(pu + i0 * size, type);
                g = make_float4(glu(function, g.x, u.x, alpha, limit), glu(function, g.y, u.y, alpha, limit),
                                glu(function, g.z, u.z, alpha, limit), glu(function, g.w, u.w, alpha, limit));
                store_float4(pr + i0 * size, type, g);
            },
            [&](i64 i0) {
                float g = load_float(pg + i0 * size, type);
                float u = load_float(pu + i0 * size, type);
                store_float(pr + i0 * size, type, glu(function, g, u, alpha, limit));
            });
    });
}
