#include "common.cuh"
// Adds one to every element of a vector: what a device is tried with before it is offered.
KERNEL probe(View x, const float *y, float *z, i64 n, int m, float f) {
    i64 i = blockIdx.x * (i64) blockDim.x + threadIdx.x;
    if (i < n) z[i] = y[i] + f * m + (float) x.ne[0];
}
