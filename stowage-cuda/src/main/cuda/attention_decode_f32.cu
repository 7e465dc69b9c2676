// Attention of few queries over caches of f32.
#include "attention_decode.cuh"

ATTENTION_DECODE_TYPE(f32, TYPE_F32)
