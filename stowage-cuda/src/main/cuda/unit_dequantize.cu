// Units as rows of halves (bf16 stays bf16), for products with many tokens.
#include "unit_fragment.cuh"

// Halves 0 of both, and halves 1 of both.
DEVICE u32 low_halves(u32 a, u32 b) { return __byte_perm(a, b, 0x5410u); }
DEVICE u32 high_halves(u32 a, u32 b) { return __byte_perm(a, b, 0x7632u); }

// count rows of one matrix from first on; rows of the target are stride halves apart, a multiple of 8. A thread has 32
// weights of a row.
template <int TYPE> DEVICE void dequantize(const u8 *units, u16 *target, i64 stride, i64 first, i64 count, int k) {
    pdl_launch_dependents();
    pdl_wait();
    UnitRow shape = unit_row<TYPE>(k);
    int blocks = (k + 31) / 32;
    i64 all = count * blocks;
    for (i64 i = blockIdx.x * (i64) blockDim.x + threadIdx.x; i < all; i += (i64) gridDim.x * blockDim.x) {
        i64 row = i / blocks;
        int block = (int) (i - row * blocks);
        UnitFragment<TYPE> f;
        load_fragment<TYPE>(f, units + ((first + row) >> 2) * shape.bytes, shape, block, (int) ((first + row) & 3));
        u16 *to = target + row * stride + block * 32;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            u32 p[4];
            f.pairs(j, p);
            if (TYPE == TYPE_F16 || TYPE == TYPE_BF16) {
                if (block * 32 + 8 * j < k) *(uint4 *) (to + 8 * j) = make_uint4(p[0], p[1], p[2], p[3]);
            } else {
                *(uint2 *) (to + 4 * j) = uint2{low_halves(p[0], p[2]), high_halves(p[0], p[2])};
                *(uint2 *) (to + 16 + 4 * j) = uint2{low_halves(p[1], p[3]), high_halves(p[1], p[3])};
            }
        }
    }
}

#define UNIT_DEQUANTIZE(name, TYPE)                                                                                        \
    extern "C" __global__ void __launch_bounds__(256)                                                                      \
            unit_dequantize_##name(const u8 *units, u16 *target, i64 stride, i64 first, i64 count, int k) {                \
        dequantize<TYPE>(units, target, stride, first, count, k);                                                          \
    }

UNIT_DEQUANTIZE(q4_0, TYPE_Q4_0)
UNIT_DEQUANTIZE(q8_0, TYPE_Q8_0)
UNIT_DEQUANTIZE(q4_K, TYPE_Q4_K)
UNIT_DEQUANTIZE(q5_K, TYPE_Q5_K)
UNIT_DEQUANTIZE(q6_K, TYPE_Q6_K)
UNIT_DEQUANTIZE(f16, TYPE_F16)
UNIT_DEQUANTIZE(bf16, TYPE_BF16)
