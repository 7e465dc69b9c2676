// Products of a warpgroup on sm_90a whose first factor is in registers: d (64 x N, f32) += a (64 x 16) * b (16 x N), for N of
// 8, 16, 32 and 64. a is that of m16n8k16 for the 16 rows of each warp; d as wgmma.cuh has it.
#pragma once
#include "common.cuh"

// b in shared memory without a swizzle: two columns of matrices of 8 rows (of N) x 16 bytes (of k), 128 bytes each, which
// follow each other; `column` bytes from one column to the next.
DEVICE u64 core_matrices(u32 address, int column) {
    return (u64) ((address & 0x3ffff) >> 4) | (u64) (column >> 4) << 16 | (u64) (128 >> 4) << 32;
}

// Before the first product that reads registers which this warp wrote.
DEVICE void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
// Ends a group of products, which are done in order.
DEVICE void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Waits until at most N groups are not done.
template <int N> DEVICE void wgmma_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory"); }

#define SUMS_4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SUMS_8(i) SUMS_4(i), SUMS_4(i + 4)
#define SUMS_16(i) SUMS_8(i), SUMS_8(i + 8)
#define SUMS_32(i) SUMS_16(i), SUMS_16(i + 16)
#define OPERANDS "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b)
#define WGMMA(n, sums, operands, outputs) \
    asm volatile("wgmma.mma_async.sync.aligned.m64n" #n "k16.f32.f16.f16 {" sums "}, " operands ", 1, 1, 1, 0;" \
            : outputs : OPERANDS)
#define SUM_NAMES_4 "%0, %1, %2, %3"
#define SUM_NAMES_8 SUM_NAMES_4 ", %4, %5, %6, %7"
#define SUM_NAMES_16 SUM_NAMES_8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define SUM_NAMES_32 \
    SUM_NAMES_16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"

DEVICE void wgmma_registers(float (&d)[4], const u32 *a, u64 b) {
    WGMMA(8, SUM_NAMES_4, "{%4, %5, %6, %7}, %8", SUMS_4(0));
}
DEVICE void wgmma_registers(float (&d)[8], const u32 *a, u64 b) {
    WGMMA(16, SUM_NAMES_8, "{%8, %9, %10, %11}, %12", SUMS_8(0));
}
DEVICE void wgmma_registers(float (&d)[16], const u32 *a, u64 b) {
    WGMMA(32, SUM_NAMES_16, "{%16, %17, %18, %19}, %20", SUMS_16(0));
}
DEVICE void wgmma_registers(float (&d)[32], const u32 *a, u64 b) {
    WGMMA(64, SUM_NAMES_32, "{%32, %33, %34, %35}, %36", SUMS_32(0));
}
