// ARGSORT and TOP_K: the places of the elements of a row in sorted order.
//
// Each element becomes a 64-bit key, its value in the upper half so that unsigned numbers are in the wanted order, its
// place in the lower half. No two keys are equal, so that the bitonic networks, which are not stable, give one order
// only: equal elements in the order of their places. Keys of places beyond the row sort to the end.
//
// Rows that fit in shared memory are sorted by one block each (sort_rows). Longer ones are padded to a power of two and
// sorted in scratch memory: chunks by sort_chunks, then for each doubled length sort_exchange for the distances
// that reach across chunks, and sort_merge_chunks for the others. Where only the first places are wanted, chunks need not
// be merged (top_of_chunks, top_of_tops).
#include "rows.cuh"

extern __shared__ u64 keys_of_block[];

// The largest is NaN; the two zeros are equal.
DEVICE u64 key_of(float v, u32 place, int descending) {
    u32 bits = is_nan(v) ? 0x7fffffffu : v == 0.f ? 0u : __float_as_uint(v);
    u32 ordered = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return (u64) (descending ? ~ordered : ordered) << 32 | place;
}

DEVICE u64 key_at(const u8 *row, i64 stride, i64 n, i64 place, int descending) {
    return place < n ? key_of(load<float>(row + place * stride), (u32) place, descending)
                     : 0xffffffff00000000ull | (u32) place;
}

DEVICE void exchange(u64 &low, u64 &high, bool ascending) {
    if ((low > high) == ascending) {
        u64 moved = low;
        low = high;
        high = moved;
    }
}

// One step of the network over `count` keys in shared memory, a power of two: keys that are `distance` apart.
// `first` is the place of the first key in the whole row; the direction changes every `length` keys.
DEVICE void exchange_step(u32 count, u32 first, u32 length, u32 distance) {
    for (u32 t = threadIdx.x; t < count / 2; t += blockDim.x) {
        u32 low = 2 * t - (t & (distance - 1));
        exchange(keys_of_block[low], keys_of_block[low + distance], ((first + low) & length) == 0);
    }
    __syncthreads();
}

DEVICE void sort_in_block(u32 count, u32 first) {
    __syncthreads();
    for (u32 length = 2; length <= count; length <<= 1) {
        for (u32 distance = length / 2; distance > 0; distance >>= 1) exchange_step(count, first, length, distance);
    }
}

// One block per row; `count` is the next power of two of the row's length. The result has the first places only.
KERNEL sort_rows(View x, View y, int count, int descending) {
    pdl_launch_dependents();
    const RowIndex index = row_index(blockIdx.x, y);
    const u8 *from = row_at(x, index);
    u8 *to = row_at(y, index);
    pdl_wait();
    for (u32 i = threadIdx.x; i < (u32) count; i += blockDim.x) {
        keys_of_block[i] = key_at(from, x.nb[0], x.ne[0], i, descending);
    }
    sort_in_block(count, 0);
    for (u32 i = threadIdx.x; i < (u32) y.ne[0]; i += blockDim.x) {
        *(int *) (to + i * y.nb[0]) = (int) (u32) keys_of_block[i];
    }
}

// Block (chunk, row): makes the keys of a chunk and sorts them, every second chunk downwards. Rows are counted from
// first_row on; each has `length` keys in scratch memory.
KERNEL sort_chunks(View x, u64 *keys, i64 length, int chunk, i64 first_row, int descending) {
    pdl_launch_dependents();
    const u32 first = blockIdx.x * (u32) chunk;
    const u8 *from = row_at(x, row_index((u32) (first_row + blockIdx.y), x));
    u64 *to = keys + (i64) blockIdx.y * length + first;
    pdl_wait();
    for (u32 i = threadIdx.x; i < (u32) chunk; i += blockDim.x) {
        keys_of_block[i] = key_at(from, x.nb[0], x.ne[0], (i64) first + i, descending);
    }
    sort_in_block(chunk, first);
    for (u32 i = threadIdx.x; i < (u32) chunk; i += blockDim.x) to[i] = keys_of_block[i];
}

// Block (part, row): one step of the network between keys that are `distance` apart.
KERNEL sort_exchange(u64 *keys, i64 length, i64 merged, i64 distance) {
    pdl_launch_dependents();
    const i64 t = (i64) blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= length / 2) return;
    u64 *row = keys + (i64) blockIdx.y * length;
    const i64 low = 2 * t - (t & (distance - 1));
    pdl_wait();
    u64 a = row[low], b = row[low + distance];
    exchange(a, b, (low & merged) == 0);
    row[low] = a;
    row[low + distance] = b;
}

// Block (chunk, row): the steps of the network for all distances within a chunk.
KERNEL sort_merge_chunks(u64 *keys, i64 length, i64 merged, int chunk) {
    pdl_launch_dependents();
    const u32 first = blockIdx.x * (u32) chunk;
    u64 *row = keys + (i64) blockIdx.y * length + first;
    pdl_wait();
    for (u32 i = threadIdx.x; i < (u32) chunk; i += blockDim.x) keys_of_block[i] = row[i];
    __syncthreads();
    for (u32 distance = (u32) chunk / 2; distance > 0; distance >>= 1) {
        exchange_step(chunk, first, (u32) merged, distance);
    }
    for (u32 i = threadIdx.x; i < (u32) chunk; i += blockDim.x) row[i] = keys_of_block[i];
}

// Block (part, row): the places of the sorted keys.
KERNEL sort_places(const u64 *keys, View y, i64 length, i64 first_row) {
    pdl_launch_dependents();
    const i64 i = (i64) blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= y.ne[0]) return;
    u8 *to = row_at(y, row_index((u32) (first_row + blockIdx.y), y));
    pdl_wait();
    *(int *) (to + i * y.nb[0]) = (int) (u32) keys[(i64) blockIdx.y * length + i];
}

// ---- the few largest of long rows: those of each chunk, then those of all of them

// Block (chunk, row): the keys of the k largest elements of a chunk, in their order.
KERNEL top_of_chunks(View x, u64 *tops, int chunk, int k) {
    pdl_launch_dependents();
    const u32 first = blockIdx.x * (u32) chunk;
    const u8 *from = row_at(x, row_index(blockIdx.y, x));
    u64 *to = tops + ((i64) blockIdx.y * gridDim.x + blockIdx.x) * k;
    pdl_wait();
    for (u32 i = threadIdx.x; i < (u32) chunk; i += blockDim.x) {
        keys_of_block[i] = key_at(from, x.nb[0], x.ne[0], (i64) first + i, 1);
    }
    sort_in_block(chunk, 0);
    for (u32 i = threadIdx.x; i < (u32) k; i += blockDim.x) to[i] = keys_of_block[i];
}

// One block per row: the places of the largest among the `found` keys of its chunks; `count` is their next power of two.
KERNEL top_of_tops(const u64 *tops, View y, int found, int count) {
    pdl_launch_dependents();
    const u64 *from = tops + (i64) blockIdx.x * found;
    u8 *to = row_at(y, row_index(blockIdx.x, y));
    pdl_wait();
    for (u32 i = threadIdx.x; i < (u32) count; i += blockDim.x) {
        keys_of_block[i] = i < (u32) found ? from[i] : ~0ull;
    }
    sort_in_block(count, 0);
    for (u32 i = threadIdx.x; i < (u32) y.ne[0]; i += blockDim.x) {
        *(int *) (to + i * y.nb[0]) = (int) (u32) keys_of_block[i];
    }
}
