// Windows that slide over sequences, images and volumes; images resized, mirrored and cut into squares.
#include "sliding.cuh"

// Row (x, y, n) has the elements under the kernel there: columns first, then rows, then channels.
KERNEL im2col_2d(int td, int tr, int kw, int kh, int s0, int p0, int d0, int s1, int p1, int d1, View data, View r) {
    begin_dependent();
    Sliding width = {s0, p0, d0}, height = {s1, p1, d1};
    for_each_row(r.ne, [&](i64 x, i64 y, i64 n) {
        u8 *to = row_of(r, x, y, n);
        for_each_column(r.ne[0], [&](i64 i) {
            u32 line = (u32) i / (u32) kw, channel = line / (u32) kh;
            i64 column = width.under(x, (u32) i - line * kw), row = height.under(y, line - channel * kh);
            float value = 0;
            if (within(column, data.ne[0]) && within(row, data.ne[1]))
                value = load_float(element_of(data, column, row, channel, n), td);
            store_float(to + i * r.nb[0], tr, value);
        });
    });
}
// The same along a sequence: data[i, channel, n], row (x, n).
KERNEL im2col_1d(int td, int tr, int kw, int s0, int p0, int d0, View data, View r) {
    begin_dependent();
    Sliding width = {s0, p0, d0};
    for_each_row(r.ne, [&](i64 x, i64 n, i64) {
        u8 *to = row_of(r, x, n, 0);
        for_each_column(r.ne[0], [&](i64 i) {
            u32 channel = (u32) i / (u32) kw;
            i64 column = width.under(x, (u32) i - channel * kw);
            float value = within(column, data.ne[0]) ? load_float(element_of(data, column, channel, n, 0), td) : 0;
            store_float(to + i * r.nb[0], tr, value);
        });
    });
}
// The same in volumes: the last dimension of the data has the channels of one volume after those of another, that of
// the result the layers.
KERNEL im2col_3d(int td, int tr, int kw, int kh, int kd, int channels, i64 layers, int s0, int p0, int d0, int s1,
                 int p1, int d1, int s2, int p2, int d2, View data, View r) {
    begin_dependent();
    Sliding width = {s0, p0, d0}, height = {s1, p1, d1}, depth = {s2, p2, d2};
    for_each_row(r.ne, [&](i64 x, i64 y, i64 i3) {
        u8 *to = row_of(r, x, y, i3);
        i64 volume = i3 / layers, z = i3 - volume * layers;
        for_each_column(r.ne[0], [&](i64 i) {
            u32 line = (u32) i / (u32) kw, plane = line / (u32) kh, channel = plane / (u32) kd;
            i64 column = width.under(x, (u32) i - line * kw);
            i64 row = height.under(y, line - plane * kh);
            i64 layer = depth.under(z, plane - channel * kd);
            float value = 0;
            if (within(column, data.ne[0]) && within(row, data.ne[1]) && within(layer, data.ne[2]))
                value = load_float(element_of(data, column, row, layer, volume * channels + channel), td);
            store_float(to + i * r.nb[0], tr, value);
        });
    });
}
// r[t, channel] is the sum of all a[channel * taps + tap, i] with i * stride + tap = t + padding.
KERNEL col2im_1d(int type, int stride, int padding, i64 taps, View a, View r) {
    begin_dependent();
    for_each_row(r.ne, [&](i64 channel, i64, i64) {
        for_each_column(r.ne[0], [&](i64 t) {
            float sum = 0;
            i64 end = t + padding;
            for (i64 tap = end % stride; tap < taps && tap <= end; tap += stride) {
                i64 i = (end - tap) / stride;
                if (i < a.ne[1]) sum += load_float(element_of(a, channel * taps + tap, i, 0, 0), type);
            }
            store_float(element_of(r, t, channel, 0, 0), type, sum);
        });
    });
}

// The largest (mean = 0) or the mean of the elements under a window; f32 results. A NaN stands until the next element
// replaces it. The mean divides by `divisor`, or where that is 0 by the number of elements that are not padding.
KERNEL pool(int type, int mean, int divisor, int size0, int size1, int s0, int s1, int p0, int p1, View a, View r) {
    begin_dependent();
    for_each_element(r.ne, [&](i64 x, i64 y, i64 i2, i64 i3) {
        float sum = 0, largest = -3.402823466e38f;
        int taken = 0;
        for (int ky = 0; ky < size1; ky++) {
            i64 i1 = y * s1 + ky - p1;
            if (!within(i1, a.ne[1])) continue;
            const u8 *row = row_of(a, i1, i2, i3);
            for (int kx = 0; kx < size0; kx++) {
                i64 i0 = x * s0 + kx - p0;
                if (!within(i0, a.ne[0])) continue;
                float value = load_float(row + i0 * a.nb[0], type);
                sum += value;
                largest = value < largest ? largest : value;
                taken++;
            }
        }
        float value = mean ? sum / (float) (divisor > 0 ? divisor : max(taken, 1)) : largest;
        *(float *) element_of(r, x, y, i2, i3) = value;
    });
}

// Rows that go back from their first and last element, which are not repeated.
KERNEL pad_reflect_4(int before, View a, View r) {
    begin_dependent();
    i64 last = a.ne[0] - 1;
    for_each_element(r.ne, [&](i64 i0, i64 i1, i64 i2, i64 i3) {
        i64 from_first = i0 < before ? before - i0 : i0 - before;
        i64 from_last = last < from_first ? from_first - last : last - from_first;
        *(u32 *) element_of(r, i0, i1, i2, i3) = *(const u32 *) element_of(a, last - from_last, i1, i2, i3);
    });
}

// r[c, x, y, column + row * columns] = a[c, column * edge + x, row * edge + y], zero outside.
KERNEL win_part_4(int edge, i64 columns, View a, View r) {
    begin_dependent();
    for_each_row(r.ne, [&](i64 x, i64 y, i64 window) {
        i64 row = window / columns;
        i64 ax = (window - row * columns) * edge + x, ay = row * edge + y;
        bool inside = ax < a.ne[1] && ay < a.ne[2];
        const u8 *from = row_of(a, inside ? ax : 0, inside ? ay : 0, 0);
        u8 *to = row_of(r, x, y, window);
        for_each_column(r.ne[0], [&](i64 c) {
            *(u32 *) (to + c * r.nb[0]) = inside ? *(const u32 *) (from + c * a.nb[0]) : 0u;
        });
    });
}
KERNEL win_unpart_4(int edge, i64 columns, View a, View r) {
    begin_dependent();
    for_each_row(r.ne, [&](i64 x, i64 y, i64) {
        const u8 *from = row_of(a, x % edge, y % edge, x / edge + y / edge * columns);
        u8 *to = row_of(r, x, y, 0);
        for_each_column(r.ne[0], [&](i64 c) { *(u32 *) (to + c * r.nb[0]) = *(const u32 *) (from + c * a.nb[0]); });
    });
}
