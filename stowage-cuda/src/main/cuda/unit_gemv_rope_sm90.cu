// Products of units with one quantised vector that give queries, keys and values, with what unit_rope.cuh does with these.
// Values may be of another type: then the last blocks have them.
#include "unit_ring.cuh"
#include "unit_rope.cuh"

const int ROPE_KIND = GEMV_WHOLE | GEMV_READY;

#define UNIT_GEMV_ROPE(name, TYPE)                                                                                         \
    extern "C" __global__ void __launch_bounds__(READY_WARPS * 32, 2) unit_gemv_ring_##name##_rope(                        \
            UNIT_GEMV_PARAMETERS, UNIT_ROPE_PARAMETERS) {                                                                  \
        extern __shared__ __align__(128) u8 shared[];                                                                      \
        const UnitGemv p = UNIT_GEMV_ARGUMENTS;                                                                            \
        unit_gemv<TYPE, 1, READY_WARPS, ROPE_KIND, UnitRing<TYPE, READY_WARPS, ROPE_KIND>>(p, shared, UNIT_ROPE_TAIL(0));  \
    }
#define UNIT_GEMV_MIXED_ROPE(name, FIRST, LAST)                                                                            \
    extern "C" __global__ void __launch_bounds__(READY_WARPS * 32, 2) unit_gemv_ring_##name##_rope(                        \
            UNIT_GEMV_PARAMETERS, int firstBlocks, int lastPerBlock, int lastExtra, int lastStages, UNIT_ROPE_PARAMETERS) {\
        extern __shared__ __align__(128) u8 shared[];                                                                      \
        UnitGemv p = UNIT_GEMV_ARGUMENTS;                                                                                  \
        p.rows[3] = 0;                                                                                                     \
        if ((int) blockIdx.x < firstBlocks) {                                                                              \
            unit_gemv<FIRST, 1, READY_WARPS, ROPE_KIND, UnitRing<FIRST, READY_WARPS, ROPE_KIND>>(                          \
                    p, shared, UNIT_ROPE_TAIL(0));                                                                         \
            return;                                                                                                        \
        }                                                                                                                  \
        p.w[0] = w3;                                                                                                       \
        p.bias[0] = bias3;                                                                                                 \
        p.rows[0] = rows3;                                                                                                 \
        p.rows[1] = p.rows[2] = 0;                                                                                         \
        p.block -= firstBlocks;                                                                                            \
        p.perBlock = lastPerBlock;                                                                                         \
        p.extra = lastExtra;                                                                                               \
        p.stages = lastStages;                                                                                             \
        unit_gemv<LAST, 1, READY_WARPS, ROPE_KIND, UnitRing<LAST, READY_WARPS, ROPE_KIND>>(p, shared, UNIT_ROPE_TAIL(2));  \
    }

UNIT_GEMV_ROPE(q4_0, TYPE_Q4_0)
UNIT_GEMV_ROPE(q8_0, TYPE_Q8_0)
UNIT_GEMV_ROPE(q4_K, TYPE_Q4_K)
UNIT_GEMV_ROPE(q5_K, TYPE_Q5_K)
UNIT_GEMV_ROPE(q6_K, TYPE_Q6_K)
UNIT_GEMV_MIXED_ROPE(q4_K_q6_K, TYPE_Q4_K, TYPE_Q6_K)
UNIT_GEMV_MIXED_ROPE(q5_K_q6_K, TYPE_Q5_K, TYPE_Q6_K)
