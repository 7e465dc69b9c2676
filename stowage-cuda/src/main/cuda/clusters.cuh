// Clusters: thread blocks that run at the same time and read each other's shared memory. Before sm_90 a block is alone.
#pragma once
#include "common.cuh"

// The number of this block in its cluster, and how many there are.
DEVICE u32 cluster_rank() {
    u32 r = 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
#endif
    return r;
}
DEVICE u32 cluster_blocks() {
    u32 r = 1;
#if __CUDA_ARCH__ >= 900
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(r));
#endif
    return r;
}

// A barrier of all threads of the cluster.
DEVICE void cluster_sync() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
    __syncthreads();
#endif
}

// What another block of the cluster has at an address of this block's shared memory.
DEVICE float load_remote(const float *p, u32 rank) {
#if __CUDA_ARCH__ >= 900
    float v;
    asm volatile("{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %1, %2;\nld.shared::cluster.f32 %0, [remote];\n}"
            : "=f"(v) : "r"((u32) __cvta_generic_to_shared(p)), "r"(rank) : "memory");
    return v;
#else
    return *p;
#endif
}
DEVICE float4 load_remote(const float4 *p, u32 rank) {
#if __CUDA_ARCH__ >= 900
    float4 v;
    asm volatile("{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %4, %5;\n"
            "ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [remote];\n}"
            : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "r"((u32) __cvta_generic_to_shared(p)), "r"(rank) : "memory");
    return v;
#else
    return *p;
#endif
}
