// Tensor cores as sm_80 and later have them: asynchronous copies into shared memory, ldmatrix, and mma.m16n8k16.
#pragma once
#include "common.cuh"

DEVICE u32 shared_address(const void *p) { return (u32) __cvta_generic_to_shared(p); }

// Copies 16 bytes into shared memory without registers; with `bytes` 0 the target becomes zero and nothing is read.
DEVICE void copy_async(u32 target, const void *source, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(source), "r"(bytes) : "memory");
}
DEVICE void copy_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until at most N groups of this thread's copies are under way.
template <int N> DEVICE void copy_async_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

// Four 8 x 8 matrices of 2-byte elements; lane i gives the address of row i % 8 of matrix i / 8, and gets elements
// 2 * (i % 4) and the one after it of row i / 4 of each.
DEVICE void load_matrices(u32 address, u32 (&r)[4]) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
            : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
            : "r"(address)
            : "memory");
}

// d += a (16 x 16, row by row) * b (16 x 8, column by column). Of d, lane i holds elements 2 * (i % 4) and the one after
// it of row i / 4 (d[0], d[1]) and of row i / 4 + 8 (d[2], d[3]).
template <bool BFLOAT> DEVICE void mma(float (&d)[4], const u32 (&a)[4], u32 b0, u32 b1) {
    if (BFLOAT) {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                "{%0, %1, %2, %3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    } else {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                "{%0, %1, %2, %3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    }
}
