// Attention of many queries over caches of f16.
#include "attention_mma.cuh"

ATTENTION_MMA_TYPE(f16, TYPE_F16)
