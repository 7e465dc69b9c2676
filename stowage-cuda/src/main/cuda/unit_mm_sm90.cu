// Products of quantised units with 5 to 64 tokens on sm_90: unit_mm_sm90.cuh for each type, and 8, 16, 32 or 64 tokens.
// Weights that are halves already are left to unit_mm.cu.
#include "unit_mm_sm90.cuh"

// Grid: tiles of 128 rows * blocks of a cluster; cluster: parts of k, at most 8. Dynamic shared memory: the ring of tokens,
// or the sums. Two steps are loaded ahead, for which all types have the registers: two blocks run on a multiprocessor.
#define UNIT_MM_CLUSTERS(name, TYPE, TOKENS)                                                                               \
    extern "C" __global__ void __launch_bounds__(256, 2) unit_mm_clusters_##name##_x##TOKENS(UNIT_MM_PARAMETERS) {         \
        extern __shared__ __align__(128) u8 shared[];                                                                      \
        const UnitMm p = UNIT_MM_ARGUMENTS;                                                                                \
        unit_mm_clusters<TYPE, TOKENS, 2, 2, 3>(p, shared);                                                                \
    }
#define UNIT_MMS_CLUSTERS(name, TYPE)                                                                                      \
    UNIT_MM_CLUSTERS(name, TYPE, 8) UNIT_MM_CLUSTERS(name, TYPE, 16)                                                       \
    UNIT_MM_CLUSTERS(name, TYPE, 32) UNIT_MM_CLUSTERS(name, TYPE, 64)

UNIT_MMS_CLUSTERS(q4_0, TYPE_Q4_0)
UNIT_MMS_CLUSTERS(q8_0, TYPE_Q8_0)
UNIT_MMS_CLUSTERS(q4_K, TYPE_Q4_K)
UNIT_MMS_CLUSTERS(q5_K, TYPE_Q5_K)
UNIT_MMS_CLUSTERS(q6_K, TYPE_Q6_K)
