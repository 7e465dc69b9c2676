// Products of units with 5 to 64 tokens by m16n8k16: weights are dequantised in registers as the first operand, tokens
// (unit_activations.cu) are the second.
//
// A block computes TILE rows for all tokens: its warps are ROW_WARPS x K_WARPS, each has 16 rows and a part of k, and the
// parts are added in shared memory. Where two matrices are a gated unit, half of the rows of a tile are those of the other.
#include "unit_mm.cuh"

template <int TYPE, int TILES, int ROW_WARPS, int K_WARPS> DEVICE void unit_mm(const UnitMm &p, float *sums) {
    const int TILE = 16 * ROW_WARPS, THREADS = 32 * ROW_WARPS * K_WARPS, PITCH = TILE + 1;
    pdl_launch_dependents();
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, rowWarp = warp % ROW_WARPS, kWarp = warp / ROW_WARPS;
    int quad = lane >> 2, t = lane & 3;
    // The matrix and the first of its rows that the tile has.
    int m = 0, tile = blockIdx.x, perTile = p.glu ? TILE / 2 : TILE;
    if (!p.glu)
        for (int i = 0; i < 3; i++) {
            int tiles = (p.rows[i] + TILE - 1) / TILE;
            if (m == i && tile >= tiles) {
                tile -= tiles;
                m++;
            }
        }
    int row0 = tile * perTile;
    // This warp's rows: in a gated unit, warps of the second half have rows of the second matrix.
    int half = p.glu ? rowWarp / (ROW_WARPS / 2) : 0;
    int mine = p.glu ? half : m;
    int rows = select4(p.rows, mine);
    int warpRow = row0 + 16 * (p.glu ? rowWarp - half * (ROW_WARPS / 2) : rowWarp);
    UnitRow shape = unit_row<TYPE>(p.k);
    // Rows past the last are computed as the last, and not stored.
    int rowA = min(warpRow + quad, rows - 1), rowB = min(warpRow + quad + 8, rows - 1);
    const u8 *groupA = select4(p.w, mine) + (rowA >> 2) * shape.bytes, *groupB = select4(p.w, mine) + (rowB >> 2) * shape.bytes;
    int steps = (p.k + 127) / 128, step = steps * kWarp / K_WARPS, end = steps * (kWarp + 1) / K_WARPS;
    float acc[TILES][4];
#pragma unroll
    for (int n = 0; n < TILES; n++) acc[n][0] = acc[n][1] = acc[n][2] = acc[n][3] = 0.f;
    UnitFragment<TYPE> nextA, nextB;
    if (step < end) {
        load_fragment<TYPE>(nextA, groupA, shape, step * 4 + t, rowA & 3);
        load_fragment<TYPE>(nextB, groupB, shape, step * 4 + t, rowB & 3);
    }
    pdl_wait();
    const uint4 *tokens = (const uint4 *) p.packed + (i64) step * TILES * 128 + lane;
#pragma unroll 1
    for (; step < end; step++) {
        UnitFragment<TYPE> a = nextA, b = nextB;
        if (step + 1 < end) {
            load_fragment<TYPE>(nextA, groupA, shape, step * 4 + 4 + t, rowA & 3);
            load_fragment<TYPE>(nextB, groupB, shape, step * 4 + 4 + t, rowB & 3);
        }
        a.prepare(rowA & 3);
        b.prepare(rowB & 3);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            u32 pairsA[4], pairsB[4];
            a.pairs(j, pairsA);
            b.pairs(j, pairsB);
            const u32 first[4] = {pairsA[0], pairsB[0], pairsA[1], pairsB[1]};
            const u32 second[4] = {pairsA[2], pairsB[2], pairsA[3], pairsB[3]};
#pragma unroll
            for (int n = 0; n < TILES; n++) {
                uint4 x = tokens[(n * 4 + j) * 32];
                multiply<TYPE>(acc[n], first, x.x, x.y);
                multiply<TYPE>(acc[n], second, x.z, x.w);
            }
        }
        tokens += TILES * 128;
    }
    // sums[part of k][token][row]; a thread has rows quad, quad + 8 of tokens 2 t, 2 t + 1 of every 8.
#pragma unroll
    for (int n = 0; n < TILES; n++) {
        float *to = sums + (kWarp * TILES * 8 + n * 8 + t * 2) * PITCH + rowWarp * 16 + quad;
        to[0] = acc[n][0];
        to[PITCH] = acc[n][1];
        to[8] = acc[n][2];
        to[PITCH + 8] = acc[n][3];
    }
    __syncthreads();
    rows = select4(p.rows, m);
    for (int i = threadIdx.x; i < perTile * p.tokens; i += THREADS) {
        int token = i / perTile, local = i - token * perTile, row = row0 + local;
        if (row >= rows) continue;
        float value = 0.f, up = 0.f, factor = p.factors[token];
#pragma unroll
        for (int part = 0; part < K_WARPS; part++) {
            value += sums[(part * TILES * 8 + token) * PITCH + local];
            if (p.glu) up += sums[(part * TILES * 8 + token) * PITCH + TILE / 2 + local];
        }
        const float *bias = select4(p.bias, m);
        value = value * factor + (bias ? bias[row] : 0.f);
        if (p.glu) value = glu(p.glu, value, up * factor + (p.bias[1] ? p.bias[1][row] : 0.f));
        i64 at = (i64) token * rows + row;
        if (p.residual) value += load_float(p.residual + at);
        select4(p.out, m)[at] = value;
    }
}

#define UNIT_MM(name, TYPE, TOKENS, ROW_WARPS, K_WARPS)                                                                    \
    extern "C" __global__ void __launch_bounds__(32 * ROW_WARPS * K_WARPS)                                                 \
            unit_mm_##name##_x##TOKENS(UNIT_MM_PARAMETERS) {                                                               \
        extern __shared__ __align__(128) u8 shared[];                                                                      \
        const UnitMm p = UNIT_MM_ARGUMENTS;                                                                                \
        unit_mm<TYPE, TOKENS / 8, ROW_WARPS, K_WARPS>(p, (float *) shared);                                                \
    }
// Few tokens: more parts of k, so that small matrices fill the device. Many: more rows, so that tokens are loaded less often.
#define UNIT_MMS(name, TYPE)                                                                                               \
    UNIT_MM(name, TYPE, 8, 2, 4) UNIT_MM(name, TYPE, 16, 2, 4) UNIT_MM(name, TYPE, 32, 4, 4) UNIT_MM(name, TYPE, 64, 4, 2)

UNIT_MMS(q4_0, TYPE_Q4_0)
UNIT_MMS(q8_0, TYPE_Q8_0)
UNIT_MMS(q4_K, TYPE_Q4_K)
UNIT_MMS(q5_K, TYPE_Q5_K)
UNIT_MMS(q6_K, TYPE_Q6_K)
UNIT_MMS(f16, TYPE_F16)
UNIT_MMS(bf16, TYPE_BF16)
