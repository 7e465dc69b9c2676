// Copies by the copy engine of sm_90, and the barriers in shared memory by which they report that they are done.
#pragma once
#include "common.cuh"

DEVICE u32 shared_address(const void *p) { return (u32) __cvta_generic_to_shared(p); }

// A barrier completes a phase when that many threads have arrived and all bytes that were announced have been copied.
DEVICE void barrier_init(u32 barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
// Makes initialised barriers visible to the copy engine; before the __syncthreads() that lets others use them.
DEVICE void barrier_fence() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
DEVICE void barrier_arrive(u32 barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
// Arrives and announces bytes that will be copied.
DEVICE void barrier_expect(u32 barrier, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
// Waits until the phase of that parity is complete: 0 for the first, third and so on. Of a new barrier the phase before
// the first, of parity 1, counts as complete.
DEVICE void barrier_wait(u32 barrier, u32 parity) {
    asm volatile("{\n"
            ".reg .pred done;\n"
            "WAIT%=:\n"
            "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
            "@done bra DONE%=;\n"
            "bra WAIT%=;\n"
            "DONE%=:\n"
            "}" ::"r"(barrier), "r"(parity) : "memory");
}

// Copies a box of a matrix, whose first element is (column, row), into shared memory; what is outside of the matrix is
// zero there. The bytes of the whole box are reported to the barrier.
DEVICE void copy_box(u32 target, const TensorMap *matrix, int column, int row, u32 barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
            "[%0], [%1, {%2, %3}], [%4];" ::"r"(target), "l"(matrix), "r"(column), "r"(row), "r"(barrier) : "memory");
}
// The same for a tensor of four dimensions.
DEVICE void copy_box(u32 target, const TensorMap *tensor, int i0, int i1, int i2, int i3, u32 barrier) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
            "[%0], [%1, {%2, %3, %4, %5}], [%6];"
            ::"r"(target), "l"(tensor), "r"(i0), "r"(i1), "r"(i2), "r"(i3), "r"(barrier) : "memory");
}

// Moves registers between warpgroups: those that compute take what the one that copies gives up. All threads of a
// warpgroup call it.
template <int N> DEVICE void take_registers() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N)); }
template <int N> DEVICE void give_registers() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N)); }
