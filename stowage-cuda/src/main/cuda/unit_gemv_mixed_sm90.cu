// Products of one vector with matrices of two types: the first blocks have up to three matrices of the first type, the others
// the fourth matrix, which is of the last type. Rows are whole units.
#include "unit_ring.cuh"

#define UNIT_GEMV_MIXED(name, FIRST, LAST)                                                                                 \
    extern "C" __global__ void __launch_bounds__(TOKEN_WARPS * 32, 1) unit_gemv_ring_##name##_whole(                       \
            UNIT_GEMV_PARAMETERS, int firstBlocks, int lastPerBlock, int lastExtra, int lastStages) {                      \
        extern __shared__ __align__(128) u8 shared[];                                                                      \
        UnitGemv p = UNIT_GEMV_ARGUMENTS;                                                                                  \
        p.rows[3] = 0;                                                                                                     \
        if ((int) blockIdx.x < firstBlocks) {                                                                              \
            unit_gemv<FIRST, 1, TOKEN_WARPS, GEMV_WHOLE, UnitRing<FIRST, TOKEN_WARPS, GEMV_WHOLE>>(p, shared);             \
            return;                                                                                                        \
        }                                                                                                                  \
        p.w[0] = w3;                                                                                                       \
        p.out[0] = out3;                                                                                                   \
        p.bias[0] = bias3;                                                                                                 \
        p.rows[0] = rows3;                                                                                                 \
        p.rows[1] = p.rows[2] = 0;                                                                                         \
        p.block -= firstBlocks;                                                                                            \
        p.perBlock = lastPerBlock;                                                                                         \
        p.extra = lastExtra;                                                                                               \
        p.stages = lastStages;                                                                                             \
        unit_gemv<LAST, 1, TOKEN_WARPS, GEMV_WHOLE, UnitRing<LAST, TOKEN_WARPS, GEMV_WHOLE>>(p, shared);                   \
    }

UNIT_GEMV_MIXED(q4_K_q6_K, TYPE_Q4_K, TYPE_Q6_K)
UNIT_GEMV_MIXED(q5_K_q6_K, TYPE_Q5_K, TYPE_Q6_K)
