// A window that slides along one dimension.
#pragma once
#include "strided.cuh"

// As dev.stowage.tensor.Window; kernels get its parts one by one.
struct Sliding {
    int stride, padding, dilation;
    // The index in the input of a tap of the kernel at a position; outside of the input in the padding.
    __device__ i64 under(i64 position, i64 tap) const { return position * stride + tap * dilation - padding; }
};

DEVICE bool within(i64 i, i64 n) { return i >= 0 && i < n; }
