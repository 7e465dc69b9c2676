// Types and instructions that all kernels share. No toolkit headers: NVRTC compiles these files as they are.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char i8;
typedef short i16;
typedef long long i64;

#define DEVICE static __device__ __forceinline__
#define KERNEL extern "C" __global__ void

// A tensor as launches describe it: address, elements by dimension (innermost first), bytes between neighbours.
struct View {
    u8 *data;
    i64 ne[4];
    i64 nb[4];
};

// The descriptor of a matrix for the copy engine; CUtensorMap of the driver.
struct __align__(64) TensorMap {
    u64 opaque[16];
};

// Element types by ggml's numbers.
enum Type {
    TYPE_F32 = 0, TYPE_F16 = 1, TYPE_Q4_0 = 2, TYPE_Q4_1 = 3, TYPE_Q5_0 = 6, TYPE_Q5_1 = 7, TYPE_Q8_0 = 8,
    TYPE_Q2_K = 10, TYPE_Q3_K = 11, TYPE_Q4_K = 12, TYPE_Q5_K = 13, TYPE_Q6_K = 14,
    TYPE_I8 = 24, TYPE_I16 = 25, TYPE_I32 = 26, TYPE_I64 = 27, TYPE_F64 = 28, TYPE_BF16 = 30
};

DEVICE float half_to_float(u16 h) { float f; asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h)); return f; }
DEVICE u16 float_to_half(float f) { u16 h; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f)); return h; }
DEVICE float bfloat_to_float(u16 b) { return __uint_as_float((u32) b << 16); }
// Rounds to nearest even; NaN stays NaN.
DEVICE u16 float_to_bfloat(float f) {
    u32 bits = __float_as_uint(f);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return (u16) ((bits >> 16) | 64);
    return (u16) ((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

// Programmatic dependent launch: the next kernel of the stream may be started from here on, and this one waits until
// the writes of the one before it can be seen. Both do nothing where the launch is not dependent, or before sm_90.
DEVICE void pdl_launch_dependents() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
DEVICE void pdl_wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

DEVICE float warp_sum(float v) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    return v;
}
DEVICE float warp_max(float v) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
    return v;
}
