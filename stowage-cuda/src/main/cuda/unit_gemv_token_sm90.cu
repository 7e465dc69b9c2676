// Products of units with one vector that is quantised already, which is what most launches of a token are: with one matrix,
// with the two of a gated unit, and with several.
#include "unit_ring.cuh"

#define UNIT_GEMV_READY(name, TYPE, MORE)                                                                                  \
    extern "C" __global__ void __launch_bounds__(READY_WARPS * 32, 2) unit_gemv_ring_##name(UNIT_GEMV_PARAMETERS) {        \
        extern __shared__ __align__(128) u8 shared[];                                                                      \
        const UnitGemv p = UNIT_GEMV_ARGUMENTS;                                                                            \
        const int KIND = GEMV_WHOLE | GEMV_READY | MORE;                                                                   \
        unit_gemv<TYPE, 1, READY_WARPS, KIND, UnitRing<TYPE, READY_WARPS, KIND>>(p, shared);                               \
    }
#define UNIT_GEMVS_READY(name, TYPE)                                                                                       \
    UNIT_GEMV_READY(name##_several, TYPE, 0)                                                                               \
    UNIT_GEMV_READY(name##_one, TYPE, GEMV_ONE)                                                                            \
    UNIT_GEMV_READY(name##_gated, TYPE, GEMV_GATED)

UNIT_GEMVS_READY(q4_0, TYPE_Q4_0)
UNIT_GEMVS_READY(q8_0, TYPE_Q8_0)
UNIT_GEMVS_READY(q4_K, TYPE_Q4_K)
UNIT_GEMVS_READY(q5_K, TYPE_Q5_K)
UNIT_GEMVS_READY(q6_K, TYPE_Q6_K)
