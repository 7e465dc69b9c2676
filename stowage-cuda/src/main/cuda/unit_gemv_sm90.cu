// Products of units with 1 to 4 vectors on sm_90: the copy engine fills a ring of units for every warp, and begins before
// the launch before this one has ended.
#include "unit_ring.cuh"

#define UNIT_GEMV_RING(name, TYPE, TOKENS, WARPS, KIND)                                                                    \
    extern "C" __global__ void __launch_bounds__(WARPS * 32, TOKENS == 1 ? 2 : 1)                                          \
            unit_gemv_ring_##name(UNIT_GEMV_PARAMETERS) {                                                                  \
        extern __shared__ __align__(128) u8 shared[];                                                                      \
        const UnitGemv p = UNIT_GEMV_ARGUMENTS;                                                                            \
        unit_gemv<TYPE, TOKENS, WARPS, KIND, UnitRing<TYPE, WARPS, KIND>>(p, shared);                                      \
    }
#define UNIT_GEMV_RINGS(name, TYPE)                                                                                        \
    UNIT_GEMV_RING(name##_x1, TYPE, 1, TOKEN_WARPS, 0)                                                                     \
    UNIT_GEMV_RING(name##_x2, TYPE, 2, RING_WARPS, 0)                                                                      \
    UNIT_GEMV_RING(name##_x4, TYPE, 4, RING_WARPS, 0)                                                                      \
    UNIT_GEMV_RING(name##_whole, TYPE, 1, TOKEN_WARPS, GEMV_WHOLE)                                                         \
    UNIT_GEMV_RING(name##_experts, TYPE, 1, TOKEN_WARPS, GEMV_EXPERTS)

UNIT_GEMV_RINGS(q4_0, TYPE_Q4_0)
UNIT_GEMV_RINGS(q8_0, TYPE_Q8_0)
UNIT_GEMV_RINGS(q4_K, TYPE_Q4_K)
UNIT_GEMV_RINGS(q5_K, TYPE_Q5_K)
UNIT_GEMV_RINGS(q6_K, TYPE_Q6_K)
UNIT_GEMV_RINGS(f16, TYPE_F16)
UNIT_GEMV_RINGS(bf16, TYPE_BF16)
