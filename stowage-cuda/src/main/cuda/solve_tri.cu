// SOLVE_TRI: a * x = b for lower triangular matrices a[n, n], b[columns, n], all f32 and without gaps.
#include "rows.cuh"

// A thread has one column of one matrix and solves it from the first row on; what it has solved it reads back from the
// result, which may be stored over b.
KERNEL solve_tri_f32(const float *a, const float *b, float *x, i64 n, i64 columns, i64 matrices) {
    pdl_launch_dependents();
    const i64 number = (i64) blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= columns * matrices) return;
    const i64 matrix = number / columns, column = number - matrix * columns;
    a += matrix * n * n;
    b += matrix * n * columns + column;
    x += matrix * n * columns + column;
    pdl_wait();
    for (i64 row = 0; row < n; row++) {
        float known = 0.f;
        for (i64 i = 0; i < row; i++) known += a[row * n + i] * x[i * columns];
        x[row * columns] = (b[row * columns] - known) / a[row * n + row];
    }
}
