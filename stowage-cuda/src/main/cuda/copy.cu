// Elements put into other places with their bits as they are. Rows are counted in units of 1 to 16 bytes, the largest
// that divides the rows, strides and addresses; where the elements of a row have gaps, a unit is an element.
#include "strided.cuh"

template <class T> DEVICE void copy_units(const View &from, const View &to) {
    for_each_row(to.ne, [&](i64 i1, i64 i2, i64 i3) {
        const u8 *pf = row_of(from, i1, i2, i3);
        u8 *pt = row_of(to, i1, i2, i3);
        for_each_column(to.ne[0], [&](i64 i0) { *(T *) (pt + i0 * to.nb[0]) = *(const T *) (pf + i0 * from.nb[0]); });
    });
}

// to[i] = from[i % size of from].
template <class T> DEVICE void repeat_units(const View &from, const View &to) {
    for_each_row(to.ne, [&](i64 i1, i64 i2, i64 i3) {
        const u8 *pf = repeated_row_of(from, i1, i2, i3);
        u8 *pt = row_of(to, i1, i2, i3);
        for_each_column(to.ne[0], [&](i64 i0) {
            *(T *) (pt + i0 * to.nb[0]) = *(const T *) (pf + modulo(i0, from.ne[0]) * from.nb[0]);
        });
    });
}

DEVICE i64 floor_modulo(i64 i, i64 n) {
    if (i >= 0) return modulo(i, n);
    i64 rest = i % n;
    return rest < 0 ? rest + n : rest;
}

// to[i] = from[i - before], which is zero outside of `from`, or goes on with its other end where it is circular.
template <class T>
DEVICE void pad_units(const View &from, const View &to, i64 before0, i64 before1, i64 before2, i64 before3,
                      int circular) {
    for_each_row(to.ne, [&](i64 i1, i64 i2, i64 i3) {
        i64 j1 = i1 - before1, j2 = i2 - before2, j3 = i3 - before3;
        bool inside = j1 >= 0 && j1 < from.ne[1] && j2 >= 0 && j2 < from.ne[2] && j3 >= 0 && j3 < from.ne[3];
        if (circular) {
            j1 = floor_modulo(j1, from.ne[1]), j2 = floor_modulo(j2, from.ne[2]), j3 = floor_modulo(j3, from.ne[3]);
            inside = true;
        }
        const u8 *pf = row_of(from, inside ? j1 : 0, inside ? j2 : 0, inside ? j3 : 0);
        u8 *pt = row_of(to, i1, i2, i3);
        for_each_column(to.ne[0], [&](i64 i0) {
            i64 j0 = i0 - before0;
            if (circular) j0 = floor_modulo(j0, from.ne[0]);
            T value = T();
            if (inside && j0 >= 0 && j0 < from.ne[0]) value = *(const T *) (pf + j0 * from.nb[0]);
            *(T *) (pt + i0 * to.nb[0]) = value;
        });
    });
}

#define COPY_KERNELS(bytes, T)                                                                                       \
    KERNEL copy_##bytes(View from, View to) {                                                                        \
        begin_dependent();                                                                                           \
        copy_units<T>(from, to);                                                                                     \
    }                                                                                                                \
    KERNEL repeat_##bytes(View from, View to) {                                                                      \
        begin_dependent();                                                                                           \
        repeat_units<T>(from, to);                                                                                   \
    }                                                                                                                \
    KERNEL pad_##bytes(View from, View to, i64 before0, i64 before1, i64 before2, i64 before3, int circular) {       \
        begin_dependent();                                                                                           \
        pad_units<T>(from, to, before0, before1, before2, before3, circular);                                        \
    }
COPY_KERNELS(1, u8)
COPY_KERNELS(2, u16)
COPY_KERNELS(4, u32)
COPY_KERNELS(8, u64)
COPY_KERNELS(16, uint4)
