// Attention of few queries over caches of q8_0.
#include "attention_decode.cuh"

ATTENTION_DECODE_TYPE(q8_0, TYPE_Q8_0)
