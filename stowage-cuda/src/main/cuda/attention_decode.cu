// Attention of few queries over caches of f16.
#include "attention_decode.cuh"

ATTENTION_DECODE_TYPE(f16, TYPE_F16)
