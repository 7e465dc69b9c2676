// Attention of many queries over caches of bf16.
#include "attention_mma.cuh"

ATTENTION_MMA_TYPE(bf16, TYPE_BF16)
