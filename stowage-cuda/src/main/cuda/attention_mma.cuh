// Attention of many queries by the tensor cores of sm_80 and later: a block takes 64 rows of queries and walks over
// tiles of 64 cells (32 for heads above 128); a warp has 16 rows.
//
// A row is a query of a head. With `pack` > 1 a block has the queries of several heads of one kv head, so that few
// tokens fill the rows too: row = token * pack + head. Keys and values of a tile are f16 in shared memory, rows of HEAD
// elements whose pieces of 16 bytes are exchanged within 128 bytes (piece ^ cell % 8), so that the 8 rows that ldmatrix
// reads at once are in different banks. Two tiles of each: one is loaded while the other is worked on.
#pragma once
#include "attention_common.cuh"

constexpr int MMA_ROWS = 64;
constexpr int MMA_THREADS = 128;

DEVICE void store_shared_16(u32 address, u32 a, u32 b, u32 c, u32 d) {
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}

// The place of 8 elements of a row in shared memory.
template <int HEAD> DEVICE u32 piece_at(int row, int piece) { return (row * (HEAD / 8) + (piece ^ (row & 7))) * 16; }

// 8 elements of a cell as f16 in shared memory.
template <int TYPE> DEVICE void stage_piece(u32 target, const u8 *row, int piece, bool is_there) {
    if constexpr (TYPE == TYPE_F16) {
        copy_async_16(target, is_there ? row + piece * 16 : row, is_there);
    } else {
        u32 h[4] = {0, 0, 0, 0};
        if (is_there) {
            if constexpr (TYPE == TYPE_F32) {
                float4 a = ((const float4 *) row)[piece * 2], b = ((const float4 *) row)[piece * 2 + 1];
                h[0] = clamped_halves(a.x, a.y);
                h[1] = clamped_halves(a.z, a.w);
                h[2] = clamped_halves(b.x, b.y);
                h[3] = clamped_halves(b.z, b.w);
            } else if constexpr (TYPE == TYPE_BF16) {
                uint4 a = ((const uint4 *) row)[piece];
                h[0] = clamped_halves(low_bfloat(a.x), high_bfloat(a.x));
                h[1] = clamped_halves(low_bfloat(a.y), high_bfloat(a.y));
                h[2] = clamped_halves(low_bfloat(a.z), high_bfloat(a.z));
                h[3] = clamped_halves(low_bfloat(a.w), high_bfloat(a.w));
            } else { // q8_0, aligned to 2 bytes
                const u16 *block = (const u16 *) (row + (piece >> 2) * 34);
                const u16 *at = block + 1 + (piece & 3) * 4;
                u32 scale = block[0] * 0x10001u;
                bytes_to_halves(at[0] | (u32) at[1] << 16, scale, h[0], h[1]);
                bytes_to_halves(at[2] | (u32) at[3] << 16, scale, h[2], h[3]);
            }
        }
        store_shared_16(target, h[0], h[1], h[2], h[3]);
    }
}

// A tile of keys or values: `there` of its cells, the rest zeros.
template <int TYPE, int HEAD, int CELLS>
DEVICE void stage_tile(u32 target, const u8 *data, i64 stride, int first_cell, int there, int size) {
    constexpr int PIECES = HEAD / 8;
#pragma unroll 4
    for (int i = threadIdx.x; i < CELLS * PIECES; i += MMA_THREADS) {
        int cell = i / PIECES, piece = i % PIECES;
        bool is_there = cell < there && piece * 8 < size;
        stage_piece<TYPE>(target + piece_at<HEAD>(cell, piece), data + (is_there ? first_cell + cell : first_cell) * stride, piece, is_there);
    }
}

// The rows of a block, and which of them a thread has: row 16 * warp + lane / 4 and the one 8 further.
struct MmaRows {
    int pack, tokens, heads, first_head, first_token, tokens_per_tile, batch;

    METHOD int token(int row) const { return min(first_token + row / pack, tokens - 1); }
    METHOD int head(int row) const { return first_head + row % pack; }
    METHOD bool has(int row) const { return row < tokens_per_tile * pack && first_token + row / pack < tokens; }
    METHOD i64 result_row(int row) const { return ((i64) batch * tokens + token(row)) * heads + head(row); }
};

// Two elements of a query as f16.
DEVICE u32 query_pair(const float *from, int element, int size, float factor, bool has) {
    if (!has || element >= size) return 0;
    float2 x = *(const float2 *) (from + element);
    return clamped_halves(x.x * factor, x.y * factor);
}

// The scores of a thread become weights: s[i] has two rows x two cells of each 8 cells.
template <int COUNT>
DEVICE void weigh_rows(float (&s)[COUNT][4], float (&max)[2], float (&weight)[2], float (&factor)[2]) {
#pragma unroll
    for (int r = 0; r < 2; r++) {
        float larger = max[r];
#pragma unroll
        for (int i = 0; i < COUNT; i++) larger = fmaxf(larger, fmaxf(s[i][2 * r], s[i][2 * r + 1]));
        larger = fmaxf(larger, __shfl_xor_sync(0xffffffffu, larger, 1));
        larger = fmaxf(larger, __shfl_xor_sync(0xffffffffu, larger, 2));
        float base = score_base(larger), total = 0.f;
        factor[r] = exp2_fast(max[r] - base);
        max[r] = larger;
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            s[i][2 * r] = exp2_fast(s[i][2 * r] - base);
            s[i][2 * r + 1] = exp2_fast(s[i][2 * r + 1] - base);
            total += s[i][2 * r] + s[i][2 * r + 1];
        }
        weight[r] = weight[r] * factor[r] + total;
    }
}

// Grid: tiles of tokens, heads / pack, batches * splits. Classes are those of tiles of MMA_ROWS / pack tokens and CELLS
// cells; null without a mask.
template <int TYPE, int HEAD, int CELLS>
DEVICE void attention_mma(const View &q, const View &k, const View &v, const View &mask, const u16 *classes, const float *sinks,
        float *result, float *partials, float *states, int splits, int pack, float scale, float max_bias, float softcap) {
    // Queries stay in registers where these suffice, otherwise in shared memory.
    constexpr bool QUERIES_SHARED = HEAD > 128;
    constexpr int STEPS = HEAD / 16, COUNT = CELLS / 8, TILE_BYTES = CELLS * HEAD * 2;
    extern __shared__ __align__(128) u8 mma_memory[];
    pdl_launch_dependents();
    pdl_wait();

    u32 keys_at = shared_address(mma_memory), values_at = keys_at + 2 * TILE_BYTES, queries_at = values_at + 2 * TILE_BYTES;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
    int heads = (int) q.ne[2], cells = (int) k.ne[1], key_size = (int) k.ne[0], value_size = (int) v.ne[0];
    int tokens_per_tile = MMA_ROWS / pack, split = blockIdx.z % splits, batch = blockIdx.z / splits;
    // The last tokens see the most cells in a causal mask: they go first.
    int token_tile = gridDim.x - 1 - blockIdx.x;
    MmaRows rows = {pack, (int) q.ne[1], heads, (int) blockIdx.y * pack, token_tile * tokens_per_tile, tokens_per_tile, batch};
    int kv_head = rows.first_head / (heads / (int) k.ne[2]);
    const u8 *keys = k.data + kv_head * k.nb[2] + batch * k.nb[3];
    const u8 *values = v.data + kv_head * v.nb[2] + batch * v.nb[3];
    AttentionOutput out = {result, partials, states, splits, split, value_size};
    int row[2] = {warp * 16 + g, warp * 16 + g + 8};

    u32 queries[QUERIES_SHARED ? 1 : STEPS][4];
    const u16 *masks[2];
    float slopes[2];
    float query_factor = softcap != 0.f ? scale / softcap : scale * LOG2_E;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int token = rows.token(row[r]), head = rows.head(row[r]);
        const float *from = (const float *) (q.data + token * q.nb[1] + head * q.nb[2] + batch * q.nb[3]);
        bool has = rows.has(row[r]);
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            u32 low = query_pair(from, i * 16 + t * 2, key_size, query_factor, has);
            u32 high = query_pair(from, i * 16 + t * 2 + 8, key_size, query_factor, has);
            if constexpr (QUERIES_SHARED) {
                u8 *to = mma_memory + 4 * TILE_BYTES + t * 4;
                *(u32 *) (to + piece_at<HEAD>(row[r], i * 2)) = low;
                *(u32 *) (to + piece_at<HEAD>(row[r], i * 2 + 1)) = high;
            } else {
                queries[i][r] = low;
                queries[i][r + 2] = high;
            }
        }
        masks[r] = mask.data ? mask_row(mask, token, head, batch) : nullptr;
        slopes[r] = alibi_slope(max_bias, head, heads) * LOG2_E;
    }

    int tiles = (cells + CELLS - 1) / CELLS;
    const u16 *kinds = classes ? mask_classes(classes, mask, rows.first_head, batch, token_tile, gridDim.x, tiles) : nullptr;
    auto find_seen = [&](int tile) {
        while (kinds && tile < tiles && kinds[tile] == 0) tile += splits;
        return tile;
    };
    auto stage = [&](int tile, int buffer) {
        int first = tile * CELLS, there = min(CELLS, cells - first);
        stage_tile<TYPE, HEAD, CELLS>(keys_at + buffer * TILE_BYTES, keys, k.nb[1], first, there, key_size);
        if (kinds) there = min(there, seen_cells(kinds[tile])); // what is not seen may be not a number
        stage_tile<TYPE, HEAD, CELLS>(values_at + buffer * TILE_BYTES, values, v.nb[1], first, there, value_size);
    };

    float sums[STEPS * 2][4];
#pragma unroll
    for (int i = 0; i < STEPS * 2; i++) sums[i][0] = sums[i][1] = sums[i][2] = sums[i][3] = 0.f;
    float max[2] = {minus_infinity(), minus_infinity()}, weight[2] = {0.f, 0.f};
    int tile = find_seen(split);
    if (tile < tiles) stage(tile, 0);
    copy_async_commit();
    for (int buffer = 0; tile < tiles; buffer ^= 1) {
        int next = find_seen(tile + splits);
        copy_async_wait<0>();
        __syncthreads(); // this tile is there, and the other buffer has been read by all
        if (next < tiles) stage(next, buffer ^ 1);
        copy_async_commit();

        float s[COUNT][4];
#pragma unroll
        for (int i = 0; i < COUNT; i++) s[i][0] = s[i][1] = s[i][2] = s[i][3] = 0.f;
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            u32 a[4];
            if constexpr (QUERIES_SHARED) {
                load_matrices(queries_at + piece_at<HEAD>(warp * 16 + (lane & 15), i * 2 + (lane >> 4)), a);
            } else {
#pragma unroll
                for (int r = 0; r < 4; r++) a[r] = queries[i][r];
            }
#pragma unroll
            for (int c = 0; c < COUNT; c += 2) {
                u32 b[4]; // cells c * 8 ... + 7: b[0], b[1]; the next 8 cells: b[2], b[3]
                int cell = c * 8 + (lane & 7) + (lane >> 4) * 8, piece = i * 2 + (lane >> 3 & 1);
                load_matrices(keys_at + buffer * TILE_BYTES + piece_at<HEAD>(cell, piece), b);
                mma_16x8x16(s[c], a[0], a[1], a[2], a[3], b[0], b[1]);
                mma_16x8x16(s[c + 1], a[0], a[1], a[2], a[3], b[2], b[3]);
            }
        }

        int first = tile * CELLS;
        bool masked = kinds ? is_mixed(kinds[tile]) : mask.data != nullptr;
        if (softcap != 0.f) {
#pragma unroll
            for (int i = 0; i < COUNT * 4; i++) s[i / 4][i % 4] = capped_score(s[i / 4][i % 4], softcap);
        }
        if (masked || first + CELLS > cells) {
#pragma unroll
            for (int i = 0; i < COUNT * 4; i++) {
                int r = i % 4 / 2;
                float added = mask_bias(masked ? masks[r] : nullptr, first + i / 4 * 8 + t * 2 + i % 2, cells, slopes[r]);
                s[i / 4][i % 4] = added == minus_infinity() ? added : s[i / 4][i % 4] + added;
            }
        }
        float factor[2];
        weigh_rows<COUNT>(s, max, weight, factor);
#pragma unroll
        for (int i = 0; i < STEPS * 2; i++) {
            sums[i][0] *= factor[0];
            sums[i][1] *= factor[0];
            sums[i][2] *= factor[1];
            sums[i][3] *= factor[1];
        }
#pragma unroll
        for (int c = 0; c < COUNT; c += 2) {
            u32 a0 = pack_halves(s[c][0], s[c][1]), a1 = pack_halves(s[c][2], s[c][3]);
            u32 a2 = pack_halves(s[c + 1][0], s[c + 1][1]), a3 = pack_halves(s[c + 1][2], s[c + 1][3]);
#pragma unroll
            for (int d = 0; d < STEPS; d++) {
                u32 b[4]; // elements d * 16 ... + 7: b[0], b[1]; the next 8: b[2], b[3]
                int cell = c * 8 + (lane & 15), piece = d * 2 + (lane >> 4);
                load_transposed_matrices(values_at + buffer * TILE_BYTES + piece_at<HEAD>(cell, piece), b);
                mma_16x8x16(sums[d * 2], a0, a1, a2, a3, b[0], b[1]);
                mma_16x8x16(sums[d * 2 + 1], a0, a1, a2, a3, b[2], b[3]);
            }
        }
        tile = next;
    }

#pragma unroll
    for (int r = 0; r < 2; r++) {
        float w = weight[r];
        w += __shfl_xor_sync(0xffffffffu, w, 1);
        w += __shfl_xor_sync(0xffffffffu, w, 2);
        if (!rows.has(row[r])) continue;
        i64 target = rows.result_row(row[r]);
        float last = splits > 1 ? 1.f : final_factor(max[r], w, sinks, rows.head(row[r]));
        if (splits > 1 && t == 0) {
            float *state = states + (target * splits + split) * 2;
            state[0] = max[r];
            state[1] = w;
        }
        float *to = output_row(out, target);
#pragma unroll
        for (int i = 0; i < STEPS * 2; i++) {
            if (i * 8 < value_size) *(float2 *) (to + i * 8 + t * 2) = make_float2(sums[i][2 * r] * last, sums[i][2 * r + 1] * last);
        }
    }
}

// Dynamic shared memory: 8 * CELLS * HEAD bytes, and 2 * 64 * HEAD more for queries where HEAD is above 128.
#define ATTENTION_MMA(NAME, TYPE, HEAD, CELLS) \
    KERNEL __launch_bounds__(MMA_THREADS) attention_mma_##NAME(View q, View k, View v, View mask, const u16 *classes, \
            const float *sinks, float *result, float *partials, float *states, int splits, int pack, float scale, \
            float max_bias, float softcap) { \
        attention_mma<TYPE, HEAD, CELLS>(q, k, v, mask, classes, sinks, result, partials, states, splits, pack, scale, max_bias, softcap); \
    }

#define ATTENTION_MMA_TYPE(NAME, TYPE) \
    ATTENTION_MMA(NAME##_h64, TYPE, 64, 64) \
    ATTENTION_MMA(NAME##_h128, TYPE, 128, 64) \
    ATTENTION_MMA(NAME##_h256, TYPE, 256, 32)
