// Looks at a mask once, so that attention over prompts neither reads the mask nor computes where that is not needed.
//
// For each tile of tokens x cells one number:
//   0                     no token of the tile sees a cell of it
//   otherwise             bits 0 to 14: how many leading cells of the tile reach up to the last one that is seen;
//                         bit 15: whether the mask has anything but zeros in the tile
// stored as [mask batches][mask heads][token tiles][cell tiles].
#include "attention_common.cuh"

struct MaskScan {
    int last;     // one after the last cell that was seen
    bool is_mixed;

    METHOD void add(u16 bits, int cell) {
        if (bits & 0x7fff) is_mixed = true;
        if (bits != 0xfc00 && cell >= last) last = cell + 1;
    }
    METHOD void add_pair(u32 bits, int cell) {
        add((u16) bits, cell);
        add((u16) (bits >> 16), cell + 1);
    }
};

// Grid: cell tiles, token tiles, heads * batches of the mask. Block: 256 threads.
KERNEL __launch_bounds__(256) attention_classify_mask(View mask, u16 *classes, int tokens, int cells, int tile_tokens, int tile_cells) {
    __shared__ int last;
    pdl_launch_dependents();
    pdl_wait();
    if (threadIdx.x == 0) last = 0;
    int heads = (int) mask.ne[2];
    int first_token = blockIdx.y * tile_tokens, first_cell = blockIdx.x * tile_cells;
    int token_count = min(tile_tokens, tokens - first_token), cell_count = min(tile_cells, cells - first_cell);
    const u8 *from = mask.data + first_token * mask.nb[1] + first_cell * 2ll + (blockIdx.z % heads) * mask.nb[2]
            + (blockIdx.z / heads) * mask.nb[3];
    MaskScan scan = {0, false};
    bool by_8 = cell_count == tile_cells && (((u64) from | (u64) mask.nb[1]) & 15) == 0 && tile_cells % 8 == 0;
    if (by_8) {
        int per_row = tile_cells / 8;
        for (int i = threadIdx.x; i < token_count * per_row; i += blockDim.x) {
            int token = i / per_row, cell = (i - token * per_row) * 8;
            uint4 w = *(const uint4 *) (from + token * mask.nb[1] + cell * 2);
            scan.add_pair(w.x, cell);
            scan.add_pair(w.y, cell + 2);
            scan.add_pair(w.z, cell + 4);
            scan.add_pair(w.w, cell + 6);
        }
    } else {
        for (int i = threadIdx.x; i < token_count * cell_count; i += blockDim.x) {
            int token = i / cell_count, cell = i - token * cell_count;
            scan.add(*(const u16 *) (from + token * mask.nb[1] + cell * 2), cell);
        }
    }
    __syncthreads();
    if (scan.last) atomicMax(&last, scan.last);
    bool is_mixed = __syncthreads_or(scan.is_mixed);
    if (threadIdx.x == 0) {
        i64 tile = ((i64) blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        classes[tile] = (u16) (last == 0 ? 0 : last | (is_mixed ? 0x8000 : 0));
    }
}
