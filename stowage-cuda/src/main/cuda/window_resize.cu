// The value of an image at points between its elements. Width and height are interpolated; along the other dimensions
// the element before the point is taken. The position of a point is computed in floats and without contraction, as the
// reference does: for points on an element, or halfway between two, the last bit decides which elements count.
#include "strided.cuh"

// Smoothed is bilinear with antialias.
enum InterpolationMode { RESIZE_NEAREST, RESIZE_BILINEAR, RESIZE_BICUBIC, RESIZE_SMOOTHED };

// How points of the result map to one dimension of the source.
struct Axis {
    i64 size;
    float scale, centre;

    // Never outside, even where the quotient of large numbers is rounded up.
    __device__ i64 before(i64 i) const { return clamp((i64) __fdiv_rn((float) i, scale)); }
    __device__ float from_edge(i64 i) const { return __fdiv_rn(__fadd_rn((float) i, centre), scale); }
    __device__ float at(i64 i) const { return __fsub_rn(from_edge(i), centre); }
    __device__ float reach() const { return fmaxf(1, __fdiv_rn(1, scale)); }
    __device__ i64 first(i64 i) const {
        i64 f = (i64) __fadd_rn(__fsub_rn(from_edge(i), reach()), centre);
        return f < 0 ? 0 : f;
    }
    __device__ i64 end(i64 i) const {
        i64 e = (i64) __fadd_rn(__fadd_rn(from_edge(i), reach()), centre);
        return e < size ? e : size;
    }
    __device__ float weight(i64 element, i64 i) const {
        return fmaxf(0, 1 - fabsf((float) element - from_edge(i) + centre) / reach());
    }
    __device__ i64 clamp(i64 element) const { return element < 0 ? 0 : element < size ? element : size - 1; }
};

struct Plane {
    const u8 *data;
    i64 nb0, nb1;
    __device__ float get(i64 x, i64 y) const { return *(const float *) (data + x * nb0 + y * nb1); }
};

DEVICE float bilinear(const Plane &plane, const Axis &width, i64 i0, const Axis &height, i64 i1) {
    float px = width.at(i0), py = height.at(i1);
    i64 x = (i64) floorf(px), y = (i64) floorf(py);
    i64 x0 = width.clamp(x), x1 = width.clamp(x + 1), y0 = height.clamp(y), y1 = height.clamp(y + 1);
    float right = fminf(fmaxf(px - (float) x0, 0), 1), below = fminf(fmaxf(py - (float) y0, 0), 1);
    float above = plane.get(x0, y0) * (1 - right) + plane.get(x1, y0) * right;
    float under = plane.get(x0, y1) * (1 - right) + plane.get(x1, y1) * right;
    return above * (1 - below) + under * below;
}

DEVICE float smoothed(const Plane &plane, const Axis &width, i64 i0, const Axis &height, i64 i1) {
    float sum = 0, weights = 0;
    for (i64 y = height.first(i1); y < height.end(i1); y++) {
        for (i64 x = width.first(i0); x < width.end(i0); x++) {
            float weight = width.weight(x, i0) * height.weight(y, i1);
            if (weight > 0) {
                sum += weight * plane.get(x, y);
                weights += weight;
            }
        }
    }
    return weights > 0 ? sum / weights : sum;
}

// The cubic convolution with a steepness of -0.75, for the two neighbours of a point and for those after them.
DEVICE float cubic_near(float d) { return (1.25f * d - 2.25f) * d * d + 1; }
DEVICE float cubic_far(float d) { return ((-0.75f * d + 3.75f) * d - 6) * d + 3; }
DEVICE float cubic(float a, float b, float c, float d, float at) {
    return a * cubic_far(at + 1) + b * cubic_near(at) + c * cubic_near(1 - at) + d * cubic_far(2 - at);
}
DEVICE float bicubic(const Plane &plane, const Axis &width, i64 i0, const Axis &height, i64 i1) {
    float px = width.at(i0), py = height.at(i1);
    i64 x = (i64) floorf(px), y = (i64) floorf(py);
    float right = px - (float) x, below = py - (float) y;
    float rows[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        i64 j = height.clamp(y - 1 + k);
        rows[k] = cubic(plane.get(width.clamp(x - 1), j), plane.get(width.clamp(x), j),
                        plane.get(width.clamp(x + 1), j), plane.get(width.clamp(x + 2), j), right);
    }
    return cubic(rows[0], rows[1], rows[2], rows[3], below);
}

KERNEL upscale_f32(int mode, float centre, float scale0, float scale1, float scale2, float scale3, View a, View r) {
    begin_dependent();
    Axis width = {a.ne[0], scale0, centre}, height = {a.ne[1], scale1, centre};
    Axis third = {a.ne[2], scale2, centre}, fourth = {a.ne[3], scale3, centre};
    for_each_element(r.ne, [&](i64 i0, i64 i1, i64 i2, i64 i3) {
        Plane plane = {row_of(a, 0, third.before(i2), fourth.before(i3)), a.nb[0], a.nb[1]};
        float value;
        switch (mode) {
        case RESIZE_NEAREST: value = plane.get(width.before(i0), height.before(i1)); break;
        case RESIZE_BILINEAR: value = bilinear(plane, width, i0, height, i1); break;
        case RESIZE_BICUBIC: value = bicubic(plane, width, i0, height, i1); break;
        default: value = smoothed(plane, width, i0, height, i1);
        }
        *(float *) element_of(r, i0, i1, i2, i3) = value;
    });
}
