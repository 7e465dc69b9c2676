// Attention of many queries over caches of f32.
#include "attention_mma.cuh"

ATTENTION_MMA_TYPE(f32, TYPE_F32)
