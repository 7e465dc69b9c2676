// Copies of transposed matrices through shared memory, so that both sides are read and written along their rows.
//
//   from: elements of a column follow each other (dimension 1 has no gaps)
//   to:   elements of a row follow each other (dimension 0 has no gaps)
#include "strided.cuh"

static const int TILE = 32;

template <class T> DEVICE T converted(T value, T *) { return value; }
DEVICE u16 converted(float value, u16 *) { return float_to_half(value); }

// Blocks of 32 x 8 threads; blockIdx.x counts tiles of 32 x 32, along dimension 0 first, blockIdx.y and z the rest.
template <class S, class T> DEVICE void transpose(const View &from, const View &to) {
    __shared__ S tile[TILE][TILE + 1];
    i64 tiles0 = (to.ne[0] + TILE - 1) / TILE;
    i64 first0 = (i64) (blockIdx.x % tiles0) * TILE;
    i64 first1 = (i64) (blockIdx.x / tiles0) * TILE;
    for (i64 i3 = blockIdx.z; i3 < to.ne[3]; i3 += gridDim.z) {
        for (i64 i2 = blockIdx.y; i2 < to.ne[2]; i2 += gridDim.y) {
            i64 i1 = first1 + threadIdx.x;
            for (int k = threadIdx.y; k < TILE; k += 8) {
                i64 i0 = first0 + k;
                if (i0 < to.ne[0] && i1 < to.ne[1]) tile[k][threadIdx.x] = ((const S *) element_of(from, i0, 0, i2, i3))[i1];
            }
            __syncthreads();
            i64 i0 = first0 + threadIdx.x;
            for (int k = threadIdx.y; k < TILE; k += 8) {
                i64 j1 = first1 + k;
                if (i0 < to.ne[0] && j1 < to.ne[1])
                    ((T *) row_of(to, j1, i2, i3))[i0] = converted(tile[threadIdx.x][k], (T *) 0);
            }
            __syncthreads();
        }
    }
}

KERNEL transpose_2(View from, View to) {
    begin_dependent();
    transpose<u16, u16>(from, to);
}
KERNEL transpose_4(View from, View to) {
    begin_dependent();
    transpose<u32, u32>(from, to);
}
KERNEL transpose_f32_f16(View from, View to) {
    begin_dependent();
    transpose<float, u16>(from, to);
}
