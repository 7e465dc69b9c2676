// Attention of many queries over caches of q8_0.
#include "attention_mma.cuh"

ATTENTION_MMA_TYPE(q8_0, TYPE_Q8_0)
