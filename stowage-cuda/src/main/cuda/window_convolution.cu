// Convolutions as one op, a thread for each element of the result: for graphs that use few and small ones. Kernels and
// data are f32, f16 or bf16, sums f32.
#include "sliding.cuh"

// The sum of a plane of a kernel times the plane of the data under it, which is not there in the padding of a volume.
// Padding is multiplied as zeros, which shows where a kernel has infinities, but not depthwise.
DEVICE float plane_sum(const View &kernel, int tk, const View &data, int td, const u8 *pk, const u8 *pd, bool there,
                       bool zeros, const Sliding &width, const Sliding &height, i64 x, i64 y) {
    float sum = 0;
    for (i64 ky = 0; ky < kernel.ne[1]; ky++) {
        i64 row = height.under(y, ky);
        for (i64 kx = 0; kx < kernel.ne[0]; kx++) {
            i64 column = width.under(x, kx);
            bool inside = there && within(row, data.ne[1]) && within(column, data.ne[0]);
            if (!inside && !zeros) continue;
            float k = load_float(pk + kx * kernel.nb[0] + ky * kernel.nb[1], tk);
            sum += k * (inside ? load_float(pd + column * data.nb[0] + row * data.nb[1], td) : 0);
        }
    }
    return sum;
}

// r[x, y, out, n] = sum of kernel[kx, ky, in, out] * data[x under kx, y under ky, in, n]; depthwise the channel of the
// data is that of the result, and the kernel has one plane for it.
KERNEL conv_2d(int depthwise, int tk, int td, int tr, int s0, int p0, int d0, int s1, int p1, int d1, View kernel,
               View data, View r) {
    begin_dependent();
    Sliding width = {s0, p0, d0}, height = {s1, p1, d1};
    for_each_element(r.ne, [&](i64 x, i64 y, i64 out, i64 n) {
        float sum = 0;
        for (i64 in = 0; in < kernel.ne[2]; in++) {
            const u8 *pk = row_of(kernel, 0, in, out);
            const u8 *pd = row_of(data, 0, depthwise ? out : in, n);
            sum += plane_sum(kernel, tk, data, td, pk, pd, true, !depthwise, width, height, x, y);
        }
        store_float(element_of(r, x, y, out, n), tr, sum);
    });
}

// As in two dimensions; the last dimension counts the channels of one kernel or volume after those of another.
KERNEL conv_3d(int tk, int td, int kernels, int channels, int s0, int p0, int d0, int s1, int p1, int d1, int s2,
               int p2, int d2, View kernel, View data, View r) {
    begin_dependent();
    Sliding width = {s0, p0, d0}, height = {s1, p1, d1}, depth = {s2, p2, d2};
    for_each_element(r.ne, [&](i64 x, i64 y, i64 z, i64 i3) {
        i64 volume = i3 / kernels, out = i3 - volume * kernels;
        float sum = 0;
        for (i64 in = 0; in < channels; in++) {
            for (i64 kz = 0; kz < kernel.ne[2]; kz++) {
                i64 layer = depth.under(z, kz);
                bool there = within(layer, data.ne[2]);
                const u8 *pk = row_of(kernel, 0, kz, out * channels + in);
                const u8 *pd = row_of(data, 0, there ? layer : 0, volume * channels + in);
                sum += plane_sum(kernel, tk, data, td, pk, pd, there, true, width, height, x, y);
            }
        }
        *(float *) element_of(r, x, y, z, i3) = sum;
    });
}

// The index in the input whose tap falls on an index of the output of a transposed convolution; -1 if there is none.
DEVICE i64 spread_from(i64 output, i64 tap, int stride) {
    i64 start = output - tap;
    return start >= 0 && start % stride == 0 ? start / stride : -1;
}

// r[i * stride + k, out] sums up kernel[k, out, in] * data[i, in].
KERNEL conv_transpose_1d(int tk, int td, int stride, View kernel, View data, View r) {
    begin_dependent();
    for_each_element(r.ne, [&](i64 x, i64 out, i64, i64) {
        float sum = 0;
        for (i64 k = 0; k < kernel.ne[0]; k++) {
            i64 i = spread_from(x, k, stride);
            if (!within(i, data.ne[0])) continue;
            for (i64 in = 0; in < kernel.ne[2]; in++)
                sum += load_float(element_of(kernel, k, out, in, 0), tk) * load_float(element_of(data, i, in, 0, 0), td);
        }
        *(float *) element_of(r, x, out, 0, 0) = sum;
    });
}

// r[i * stride + kx, j * stride + ky, out, n] sums up kernel[kx, ky, out, in] * data[i, j, in, n].
KERNEL conv_transpose_2d(int tk, int td, int stride, View kernel, View data, View r) {
    begin_dependent();
    for_each_element(r.ne, [&](i64 x, i64 y, i64 out, i64 n) {
        float sum = 0;
        for (i64 ky = 0; ky < kernel.ne[1]; ky++) {
            i64 j = spread_from(y, ky, stride);
            if (!within(j, data.ne[1])) continue;
            for (i64 kx = 0; kx < kernel.ne[0]; kx++) {
                i64 i = spread_from(x, kx, stride);
                if (!within(i, data.ne[0])) continue;
                for (i64 in = 0; in < kernel.ne[3]; in++)
                    sum += load_float(element_of(kernel, kx, ky, out, in), tk) *
                           load_float(element_of(data, i, j, in, n), td);
            }
        }
        *(float *) element_of(r, x, y, out, n) = sum;
    });
}
