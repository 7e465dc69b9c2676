// Attention of few queries over caches of bf16.
#include "attention_decode.cuh"

ATTENTION_DECODE_TYPE(bf16, TYPE_BF16)
