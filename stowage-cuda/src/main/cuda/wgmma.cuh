// Products of a warpgroup (four warps) on sm_90a: d (64 x N, f32) = or += a (64 x 16) * b (16 x N). Both factors are in
// shared memory with k innermost, as the copy engine stores them with a swizzle of 128 bytes: rows of 128 bytes, eight
// rows a pattern of 1024 bytes, to which every matrix is aligned. A step of 16 along k is 32 bytes, +2 in a descriptor.
//
// Thread i of warp j of the warpgroup holds rows 16 j + i / 4 and 16 j + i / 4 + 8:
//
//     d[4 c], d[4 c + 1]       columns 8 c + 2 (i % 4) and the one after it of the first row
//     d[4 c + 2], d[4 c + 3]   the same columns of the second row
#pragma once
#include "common.cuh"

// Describes a matrix in shared memory: its address, and 1024 bytes from eight rows to the next eight.
DEVICE u64 matrix_descriptor(u32 address) {
    return (u64) ((address & 0x3ffff) >> 4) | (u64) 1 << 16 | (u64) 64 << 32 | (u64) 1 << 62;
}

// Before the first product that reads registers or shared memory which this warp wrote.
DEVICE void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
// Ends a group of products, which are done in order.
DEVICE void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Waits until at most N groups are not done.
template <int N> DEVICE void wgmma_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory"); }

// d += a * b where `accumulate` is not 0, else d = a * b.
template <int N, bool BFLOAT> __device__ __forceinline__ void wgmma(float (&d)[N / 2], u64 a, u64 b, int accumulate);

// The registers d[i] to d[i + 7], and the same 32 times.
#define REGISTERS_8(i) \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define REGISTERS_32(i) REGISTERS_8(i), REGISTERS_8(i + 8), REGISTERS_8(i + 16), REGISTERS_8(i + 24)

#define WGMMA_64(type) \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n" \
            "wgmma.mma_async.sync.aligned.m64n64k16.f32." type "." type " {" \
            "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
            "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31" \
            "}, %32, %33, p, 1, 1, 0, 0;\n}" \
            : REGISTERS_32(0) \
            : "l"(a), "l"(b), "r"(accumulate))
template <> __device__ __forceinline__ void wgmma<64, false>(float (&d)[32], u64 a, u64 b, int accumulate) {
    WGMMA_64("f16");
}
template <> __device__ __forceinline__ void wgmma<64, true>(float (&d)[32], u64 a, u64 b, int accumulate) {
    WGMMA_64("bf16");
}

#define WGMMA_128(type) \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n" \
            "wgmma.mma_async.sync.aligned.m64n128k16.f32." type "." type " {" \
            "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
            "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
            "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
            "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63" \
            "}, %64, %65, p, 1, 1, 0, 0;\n}" \
            : REGISTERS_32(0), REGISTERS_32(32) \
            : "l"(a), "l"(b), "r"(accumulate))
template <> __device__ __forceinline__ void wgmma<128, false>(float (&d)[64], u64 a, u64 b, int accumulate) {
    WGMMA_128("f16");
}
template <> __device__ __forceinline__ void wgmma<128, true>(float (&d)[64], u64 a, u64 b, int accumulate) {
    WGMMA_128("bf16");
}

#define WGMMA_192(type) \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %98, 0;\n" \
            "wgmma.mma_async.sync.aligned.m64n192k16.f32." type "." type " {" \
            "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
            "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
            "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
            "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
            "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
            "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95" \
            "}, %96, %97, p, 1, 1, 0, 0;\n}" \
            : REGISTERS_32(0), REGISTERS_32(32), REGISTERS_32(64) \
            : "l"(a), "l"(b), "r"(accumulate))
template <> __device__ __forceinline__ void wgmma<192, false>(float (&d)[96], u64 a, u64 b, int accumulate) {
    WGMMA_192("f16");
}
template <> __device__ __forceinline__ void wgmma<192, true>(float (&d)[96], u64 a, u64 b, int accumulate) {
    WGMMA_192("bf16");
}

#define WGMMA_256(type) \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n" \
            "wgmma.mma_async.sync.aligned.m64n256k16.f32." type "." type " {" \
            "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
            "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
            "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
            "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
            "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
            "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
            "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
            "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127" \
            "}, %128, %129, p, 1, 1, 0, 0;\n}" \
            : REGISTERS_32(0), REGISTERS_32(32), REGISTERS_32(64), REGISTERS_32(96) \
            : "l"(a), "l"(b), "r"(accumulate))
template <> __device__ __forceinline__ void wgmma<256, false>(float (&d)[128], u64 a, u64 b, int accumulate) {
    WGMMA_256("f16");
}
template <> __device__ __forceinline__ void wgmma<256, true>(float (&d)[128], u64 a, u64 b, int accumulate) {
    WGMMA_256("bf16");
}
