// What the kernels for products of units with 5 to 64 tokens share: their parameters, which rows a block computes, and what
// becomes of a sum.
#pragma once
#include "unit_fragment.cuh"

struct UnitMm {
    const u8 *w[4];
    float *out[4];
    const float *bias[4];
    int rows[4];
    int k, tokens, glu;
    const u32 *packed;
    const float *factors, *residual;
};
#define UNIT_MM_PARAMETERS                                                                                                 \
    const u8 *w0, const u8 *w1, const u8 *w2, const u8 *w3, float *out0, float *out1, float *out2, float *out3,            \
            const float *bias0, const float *bias1, const float *bias2, const float *bias3, int rows0, int rows1,          \
            int rows2, int rows3, int k, int tokens, int glu, const u32 *packed, const float *factors,                     \
            const float *residual
#define UNIT_MM_ARGUMENTS                                                                                                  \
    UnitMm {                                                                                                               \
        {w0, w1, w2, w3}, {out0, out1, out2, out3}, {bias0, bias1, bias2, bias3}, {rows0, rows1, rows2, rows3}, k, tokens, \
                glu, packed, factors, residual                                                                             \
    }

template <int TYPE> DEVICE void multiply(float *c, const u32 *a, u32 b0, u32 b1) {
    if (TYPE == TYPE_BF16) mma_bf16(c, a, b0, b1);
    else mma_f16(c, a, b0, b1);
}

// The rows of a tile. Tiles are numbered through all matrices; a tile of a gated unit has half of its rows from each.
struct TileRows {
    // The matrix (the first of a gated unit) and the first row.
    int matrix, first;
    // Number `tile` of tiles of that many rows.
    METHOD TileRows(const UnitMm &p, int tile, int rows) {
        matrix = 0;
        if (p.glu) rows /= 2;
        else
            for (int i = 0; i < 3; i++) {
                int tiles = (p.rows[i] + rows - 1) / rows;
                if (matrix == i && tile >= tiles) {
                    tile -= tiles;
                    matrix++;
                }
            }
        first = tile * rows;
    }
};
