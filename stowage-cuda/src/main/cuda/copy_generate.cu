// Elements that come from their index: ranges, embeddings of time steps, triangles and diagonals.
#include "strided.cuh"

KERNEL arange_f32(float start, float step, View r) {
    begin_dependent();
    for_each_column(r.ne[0], [&](i64 i) {
        *(float *) (r.data + i * r.nb[0]) = (float) ((double) start + (double) step * (double) i);
    });
}

// A row for each time step t: cos(t * f), then sin(t * f) for f = period^(-j / half); a zero at the end if it is odd.
// In doubles, as the sine of a large angle needs all its digits; rows are few.
KERNEL timestep_embedding_f32(int dimensions, int period, View timesteps, View r) {
    begin_dependent();
    i64 half = dimensions / 2;
    for_each_element(r.ne, [&](i64 i0, i64 i1, i64 i2, i64 i3) {
        float value = 0;
        if (i0 < 2 * half) {
            i64 j = i0 < half ? i0 : i0 - half;
            double t = *(const float *) (timesteps.data + i1 * timesteps.nb[0]);
            double angle = t * pow((double) period, -(double) j / (double) half);
            value = (float) (i0 < half ? cos(angle) : sin(angle));
        }
        *(float *) element_of(r, i0, i1, i2, i3) = value;
    });
}

// On or above the diagonal, above, on or below, below.
enum TriangleKind { TRIANGLE_UPPER_DIAG, TRIANGLE_UPPER, TRIANGLE_LOWER_DIAG, TRIANGLE_LOWER };

KERNEL tri_f32(int kind, View a, View r) {
    begin_dependent();
    for_each_element(r.ne, [&](i64 i0, i64 i1, i64 i2, i64 i3) {
        bool kept = kind == TRIANGLE_UPPER_DIAG ? i0 >= i1
                  : kind == TRIANGLE_UPPER      ? i0 > i1
                  : kind == TRIANGLE_LOWER_DIAG ? i0 <= i1
                                                : i0 < i1;
        float value = kept ? *(const float *) element_of(a, i0, i1, i2, i3) : 0;
        *(float *) element_of(r, i0, i1, i2, i3) = value;
    });
}

template <class T> DEVICE void diag(const View &a, const View &r) {
    for_each_element(r.ne, [&](i64 i0, i64 i1, i64 i2, i64 i3) {
        T value = i0 == i1 ? *(const T *) element_of(a, i1, 0, i2, i3) : T(0);
        *(T *) element_of(r, i0, i1, i2, i3) = value;
    });
}
KERNEL diag_2(View a, View r) {
    begin_dependent();
    diag<u16>(a, r);
}
KERNEL diag_4(View a, View r) {
    begin_dependent();
    diag<u32>(a, r);
}
