// Bytes of pinned host memory for the kernels after it, as the first node of a captured graph: reading a few over the bus
// takes less time than a transfer before the graph.
#include "common.cuh"

// Both sides and `bytes` are multiples of 4. A thread reads 16 bytes at a time where it can, so that all are under way at
// once. The next kernel is not started early: kernels may read inputs of their graph before they wait for each other.
KERNEL host_write(const u8 *from, u8 *to, int bytes) {
    const int threads = gridDim.x * blockDim.x;
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const bool wide = (((u64) from | (u64) to) & 15) == 0;
    const int blocks = wide ? bytes / 16 : 0;
    for (int i = thread; i < blocks; i += threads) ((uint4 *) to)[i] = ((const uint4 *) from)[i];
    for (int i = blocks * 4 + thread; i < bytes / 4; i += threads) ((u32 *) to)[i] = ((const u32 *) from)[i];
}
