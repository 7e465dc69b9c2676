// Sorts the pairs of a MUL_MAT_ID by matrix, so that all rows that meet one matrix are a run. Pair e + t * used is what
// ids[e, t] chose. One block does all of it: there are few pairs, and no host has to wait for the counts.
//
//     pairs  the numbers of the pairs, those of matrix 0 first; -1 after the last, where ids named no matrix
//     tiles  {matrix, first place in `pairs`, places, 0}: runs cut into pieces of at most `tile_rows` places, as many as
//            `max_tiles`; those that are left over have 0 places
#include "common.cuh"

static const int THREADS = 1024;
static const int MAX_MATRICES = 1024;

// The sum of the values of the threads before this one.
DEVICE int sum_before(int value, int *warp_totals) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int sum = value;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) {
        int other = __shfl_up_sync(0xffffffffu, sum, o);
        if (lane >= o) sum += other;
    }
    if (lane == 31) warp_totals[warp] = sum;
    __syncthreads();
    int before = 0;
    for (int w = 0; w < warp; w++) before += warp_totals[w];
    __syncthreads();
    return before + sum - value;
}

KERNEL group_pairs(View ids, int matrices, int tile_rows, int max_tiles, int *pairs, int4 *tiles) {
    __shared__ int counts[MAX_MATRICES], next[MAX_MATRICES], warp_totals[THREADS / 32], total_tiles;
    pdl_launch_dependents();
    pdl_wait();
    const int used = (int) ids.ne[0], total = used * (int) ids.ne[1], i = threadIdx.x;
    counts[i] = 0;
    __syncthreads();
    for (int p = i; p < total; p += THREADS) {
        int id = *(const int *) (ids.data + p % used * ids.nb[0] + p / used * ids.nb[1]);
        if (id >= 0 && id < matrices) atomicAdd(&counts[id], 1);
        pairs[p] = -1;
    }
    __syncthreads();
    const int count = counts[i], own_tiles = (count + tile_rows - 1) / tile_rows;
    const int first = sum_before(count, warp_totals), first_tile = sum_before(own_tiles, warp_totals);
    next[i] = first;
    for (int t = 0; t < own_tiles; t++) {
        int done = t * tile_rows, left = count - done;
        int4 tile = {i, first + done, left < tile_rows ? left : tile_rows, 0};
        tiles[first_tile + t] = tile;
    }
    if (i == THREADS - 1) total_tiles = first_tile + own_tiles;
    __syncthreads();
    for (int t = total_tiles + i; t < max_tiles; t += THREADS) {
        int4 none = {0, 0, 0, 0};
        tiles[t] = none;
    }
    for (int p = i; p < total; p += THREADS) {
        int id = *(const int *) (ids.data + p % used * ids.nb[0] + p / used * ids.nb[1]);
        if (id >= 0 && id < matrices) pairs[atomicAdd(&next[id], 1)] = p;
    }
}
