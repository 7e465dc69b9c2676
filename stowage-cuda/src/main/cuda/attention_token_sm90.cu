// Attention of one token, or of a few that have up to 8 rows of queries for a kv head, over a cache of f16: one launch, and
// a second one where the context is long.
//
// A warp takes 16 cells at a time, for all rows of a kv head, and computes, by tensor cores, with the rows as the narrow
// side:
//
//     scores [16 cells x 8 rows]   = keys [16 x size] * queries^T
//     sums   [size x 8 rows]      += values^T [size x 16] * weights [16 x 8]
//
// Keys and values reach it through a ring of tiles of its own in shared memory (TokenRing), which is filled again as soon as
// a tile has been read, so that some hundred KB of a multiprocessor are under way at any time. No warp waits for another one
// before its last tile. Tiles are dealt out in turn to all warps of a kv head; those that no row sees are not read.
//
// The blocks of a cluster share the cells of a kv head, and combine their sums through distributed shared memory:
//
//     warps of a block    sums of each warp ──► sums of the block        one barrier of the block
//     blocks of a cluster  each block sends each other one the part of its sums that this one stores:
//
//         block 0  [part 0][part 1] ... ─┐
//         block 1  [part 0][part 1] ... ─┼─► block 0 adds up all of part 0, block 1 all of part 1, ...
//         ...                            ┘
//
// so that after one barrier of the cluster all that a block still reads is in its own shared memory. More than one
// cluster for a kv head stores sums and states for attention_combine.
//
// The order of events is made for latency: the first tiles of each warp are fetched into L2 before the launch that this one
// depends on has ended (what it still writes is written to L2 as well); then queries, mask, keys and values are all
// loaded at once, whether or not the mask lets any row see the tile.
#include "attention_decode.cuh"
#include "unit_quantize.cuh"

constexpr int TOKEN_ROWS = 8;
constexpr int MOST_BLOCKS = 8;

DEVICE u32 cluster_rank() {
    u32 r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
DEVICE u32 cluster_blocks() {
    u32 r;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(r));
    return r;
}
// The first of the barriers of a cluster says only that all blocks have started: nothing has been written.
DEVICE void cluster_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }
DEVICE void cluster_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
DEVICE void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

// The address of the same shared memory in another block of the cluster.
DEVICE u32 remote_address(const void *p, u32 rank) {
    u32 r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(shared_address(p)), "r"(rank));
    return r;
}
DEVICE void store_remote(u32 address, float4 v) {
    asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(address), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
                 : "memory");
}
DEVICE void store_remote(u32 address, float2 v) {
    asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" ::"r"(address), "f"(v.x), "f"(v.y) : "memory");
}
DEVICE void prefetch(const void *p, int bytes) {
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(p), "r"(bytes) : "memory");
}

// The shared memory of a block, before the rings of its warps. States are {max, weight} of a row.
template <int HEAD> struct TokenMemory {
    float4 received[TOKEN_ROWS * HEAD / 4 + 4 * MOST_BLOCKS]; // [block][part]
    float2 received_states[MOST_BLOCKS][TOKEN_ROWS];
    float2 states[8][TOKEN_ROWS]; // by warp
};

// The tiles of a warp that are under way, in shared memory. Rows have 16 bytes more than a cell, so that the 8 rows that
// ldmatrix reads at once are in different banks. After the last tile the sums of the warp take their place.
//
//     stage  [16 cells] keys   [16 cells] values   [32 lanes] float4: what is added to the scores of a lane
template <int HEAD> struct TokenRing {
    static constexpr int STAGES = 2;
    static constexpr int ROW = HEAD * 2 + 16, TILE_BYTES = TILE * ROW, STAGE_BYTES = 2 * TILE_BYTES + 512;
    static constexpr int BYTES = STAGES * STAGE_BYTES;
    static constexpr int PIECES = HEAD / 8, ROWS_AT_ONCE = 32 / PIECES;
    static constexpr int SUMS_STRIDE = HEAD + 4;
    u8 *memory;

    METHOD u32 keys(int stage) const { return shared_address(memory) + stage * STAGE_BYTES; }
    METHOD u32 values(int stage) const { return keys(stage) + TILE_BYTES; }
    METHOD float4 &bias(int stage) const {
        return *(float4 *) (memory + stage * STAGE_BYTES + 2 * TILE_BYTES + (threadIdx.x & 31) * 16);
    }
    METHOD float *sums(int row) const { return (float *) memory + row * SUMS_STRIDE; }

    // Copies the cells of a tile; elements that a cell does not have become zeros.
    METHOD void copy(u32 target, const CacheRows &rows, int tile) const {
        int lane = threadIdx.x & 31, piece = lane % PIECES, cell = lane / PIECES;
        bool is_there = piece * 8 < rows.size;
        target += cell * ROW + piece * 16;
#pragma unroll
        for (int i = 0; i < TILE; i += ROWS_AT_ONCE) {
            const u8 *row = rows.row(tile * TILE + cell + i);
            copy_async_16(target + i * ROW, is_there ? row + piece * 16 : row, is_there);
        }
    }
    METHOD void keep_bias(int stage, const Bias<1> &b) const {
        bias(stage) = make_float4(b.added[0][0][0], b.added[0][0][1], b.added[0][1][0], b.added[0][1][1]);
    }
};

// {max, weight} of a row from up to 8 sources put together, and what the sums of each source are multiplied by. Loops have
// a fixed count, so that all loads are under way at once.
struct JoinedState {
    static constexpr int MOST = 8;
    float factors[MOST], max, weight;

    METHOD JoinedState(const float2 *states, int sources) {
        float2 state[MOST];
#pragma unroll
        for (int s = 0; s < MOST; s++)
            state[s] = s < sources ? states[s * TOKEN_ROWS] : make_float2(minus_infinity(), 0.f);
        max = minus_infinity();
#pragma unroll
        for (int s = 0; s < MOST; s++) max = fmaxf(max, state[s].x);
        float base = score_base(max);
        weight = 0.f;
#pragma unroll
        for (int s = 0; s < MOST; s++) {
            factors[s] = exp2_fast(state[s].x - base);
            weight += state[s].y * factors[s];
        }
    }

    METHOD float4 sum(const float4 *sums, int stride, int sources) const {
        float4 sum = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
        for (int s = 0; s < MOST; s++) {
            if (s >= sources) continue;
            float4 v = sums[s * stride];
            sum.x += v.x * factors[s];
            sum.y += v.y * factors[s];
            sum.z += v.z * factors[s];
            sum.w += v.w * factors[s];
        }
        return sum;
    }
};

// The rows of a kv head as items of 4 floats, and which block of the cluster stores which of them: groups of 4 items, which
// are quantised together, are dealt out in turn. Rows have HEAD floats here, whatever their size.
template <int HEAD> struct TokenParts {
    static constexpr int COLUMNS = HEAD / 4;
    int items, shift, part; // blocks are 1 << shift

    METHOD TokenParts(int rows, int blocks) {
        items = rows * COLUMNS;
        shift = 31 - __clz(blocks);
        part = ((items >> 2) + blocks - 1 >> shift) << 2;
    }
    METHOD int block(int item) const { return item >> 2 & (1 << shift) - 1; }
    METHOD int slot(int item) const { return item >> 2 >> shift << 2 | (item & 3); }
    METHOD int item(int block, int slot) const { return (slot >> 2 << shift | block) << 2 | (slot & 3); }
};

// Queries as the second factor of the first product, multiplied by a factor.
template <int HEAD> DEVICE void load_token_queries(const View &q, const DecodeRows &rows, float factor, u32 (&queries)[HEAD / 16][2]) {
    int g = (threadIdx.x & 31) >> 2, t = threadIdx.x & 3, size = (int) q.ne[0];
    const float *from = (const float *) (q.data + rows.token(g) * q.nb[1] + rows.head(g) * q.nb[2] + rows.batch * q.nb[3]);
#pragma unroll
    for (int i = 0; i < HEAD / 8; i++) {
        int element = i * 8 + t * 2;
        float2 x = make_float2(0.f, 0.f);
        if (rows.has(g) && element < size) x = *(const float2 *) (from + element);
        queries[i >> 1][i & 1] = clamped_halves(x.x * factor, x.y * factor);
    }
}

// The scores of the cells of a tile: of cells g and g + 8, and rows 2t and 2t + 1. Two sums, since each product waits for
// the one before.
template <int HEAD> DEVICE void multiply_keys(u32 keys, const u32 (&queries)[HEAD / 16][2], float (&scores)[4]) {
    int lane = threadIdx.x & 31;
    u32 at = keys + (lane & 15) * TokenRing<HEAD>::ROW + (lane >> 4) * 16;
    float more[4] = {};
#pragma unroll
    for (int i = 0; i < HEAD / 16; i += 2) {
        u32 a[4], b[4];
        load_matrices(at + i * 32, a);
        load_matrices(at + i * 32 + 32, b);
        mma_16x8x16(scores, a[0], a[1], a[2], a[3], queries[i][0], queries[i][1]);
        mma_16x8x16(more, b[0], b[1], b[2], b[3], queries[i + 1][0], queries[i + 1][1]);
    }
#pragma unroll
    for (int i = 0; i < 4; i++) scores[i] += more[i];
}

// Adds values times weights to the sums of elements 16d + g and 16d + g + 8, and rows 2t and 2t + 1. Kept are the bits of
// values of cells 2t and 2t + 1, and of 2t + 8 and 2t + 9, that are seen.
template <int HEAD>
DEVICE void multiply_values(u32 values, const u32 (&weights)[2], u32 kept_low, u32 kept_high, DecodeState<HEAD, 1> &state) {
    int lane = threadIdx.x & 31;
    u32 at = values + ((lane & 7) + (lane >> 4) * 8) * TokenRing<HEAD>::ROW + (lane >> 3 & 1) * 16;
#pragma unroll
    for (int d = 0; d < HEAD / 16; d++) {
        u32 a[4];
        load_transposed_matrices(at + d * 32, a);
        mma_16x8x16(state.sums[0][d], a[0] & kept_low, a[1] & kept_low, a[2] & kept_high, a[3] & kept_high, weights[0], weights[1]);
    }
}

// The bits of two values in a register whose cells (2t and 2t + 1, or 8 further where first is 2) are seen.
DEVICE u32 seen_halves(u32 seen_low, u32 seen_high, int first) {
    return (is_seen(seen_low, seen_high, first) ? 0xffffu : 0) | (is_seen(seen_low, seen_high, first + 1) ? 0xffff0000u : 0);
}

// Sums of a warp into the memory of its ring.
template <int HEAD>
DEVICE void keep_sums(const DecodeState<HEAD, 1> &state, int rows, const TokenRing<HEAD> &ring, TokenMemory<HEAD> &memory) {
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        float w = state.weight[0][r];
        w += __shfl_xor_sync(ALL_LANES, w, 4);
        w += __shfl_xor_sync(ALL_LANES, w, 8);
        w += __shfl_xor_sync(ALL_LANES, w, 16);
        int row = t * 2 + r;
        if (row >= rows) continue;
        if (g == 0) memory.states[warp][row] = make_float2(state.max[0][r], w);
        float *to = ring.sums(row) + g;
#pragma unroll
        for (int d = 0; d < HEAD / 16; d++) {
            to[d * 16] = state.sums[0][d][r];
            to[d * 16 + 8] = state.sums[0][d][r + 2];
        }
    }
}

// Adds up the sums of the warps of this block, and sends each block of the cluster its part and all states.
template <int HEAD>
DEVICE void send_parts(const TokenParts<HEAD> &parts, const TokenRing<HEAD> &first_ring, TokenMemory<HEAD> &memory, int rank, int blocks) {
    int warps = blockDim.x >> 5;
    for (int item = threadIdx.x; item < parts.items; item += blockDim.x) {
        int row = item / parts.COLUMNS, column = item % parts.COLUMNS;
        JoinedState state(&memory.states[0][row], warps);
        float4 sum = state.sum((const float4 *) first_ring.sums(row) + column, TokenRing<HEAD>::BYTES / 16, warps);
        store_remote(remote_address(&memory.received[rank * parts.part + parts.slot(item)], parts.block(item)), sum);
        if (column < blocks)
            store_remote(remote_address(&memory.received_states[rank][row], column), make_float2(state.max, state.weight));
    }
}

// Stores the part of this block: quantised where published is set, else floats.
template <int HEAD>
DEVICE void store_part(const TokenParts<HEAD> &parts, const DecodeRows &rows, TokenMemory<HEAD> &memory, int rank, int blocks,
        const AttentionOutput &out, const float *sinks, u8 *published) {
    // All lanes of a warp stay together for the shuffles of quantize4.
    for (int first = threadIdx.x & ~31; first < parts.part; first += blockDim.x) {
        int slot = first + (threadIdx.x & 31), item = parts.item(rank, slot);
        bool valid = slot < parts.part && item < parts.items;
        int row = valid ? item / parts.COLUMNS : 0, column = item % parts.COLUMNS;
        valid = valid && column * 4 < out.size;
        JoinedState state(&memory.received_states[0][row], blocks);
        float4 sum = state.sum(memory.received + (valid ? slot : 0), parts.part, blocks);
        i64 target = rows.result_row(row);
        if (out.splits == 1) {
            float factor = final_factor(state.max, state.weight, sinks, rows.head(row));
            sum = make_float4(sum.x * factor, sum.y * factor, sum.z * factor, sum.w * factor);
        }
        if (published) {
            quantize4(sum, (int) target * out.size + column * 4, published, valid);
        } else if (valid) {
            ((float4 *) output_row(out, target))[column] = sum;
            if (out.splits > 1 && column == 0)
                ((float2 *) out.states)[target * out.splits + out.split] = make_float2(state.max, state.weight);
        }
    }
}

template <int HEAD>
DEVICE void attention_token(const View &q, const View &k, const View &v, const View &mask, const float *sinks, float *result,
        float *partials, float *states, u8 *published, int splits, float scale, float max_bias, float softcap) {
    constexpr int STAGES = TokenRing<HEAD>::STAGES;
    extern __shared__ __align__(16) u8 token_memory[];
    TokenMemory<HEAD> &memory = *(TokenMemory<HEAD> *) token_memory;
    pdl_launch_dependents();
    cluster_arrive_relaxed();

    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5, t = lane & 3;
    int blocks = (int) cluster_blocks(), rank = (int) cluster_rank(), cluster = (int) blockIdx.x / blocks;
    int kv_heads = (int) k.ne[2], heads = (int) q.ne[2], tokens = (int) q.ne[1], cells = (int) k.ne[1];
    int heads_per_kv = heads / kv_heads, split = cluster / kv_heads, batch = blockIdx.z;
    DecodeRows rows = {cluster - split * kv_heads, heads_per_kv, heads, tokens, batch, 0, heads_per_kv * tokens};
    AttentionOutput out = {result, partials, states, splits, split, (int) v.ne[0]};
    CacheRows keys = {k.data + rows.kv_head * k.nb[2] + batch * k.nb[3], k.nb[1], cells, (int) k.ne[0]};
    CacheRows values = {v.data + rows.kv_head * v.nb[2] + batch * v.nb[3], v.nb[1], cells, (int) v.ne[0]};
    TokenRing<HEAD> first_ring = {token_memory + sizeof(TokenMemory<HEAD>)};
    TokenRing<HEAD> ring = {first_ring.memory + warp * TokenRing<HEAD>::BYTES};

    // Half of the lanes fetch the keys of a tile into L2, the others its values.
    int tiles = (cells + TILE - 1) / TILE, step = splits * blocks * warps;
    int next = (split * blocks + rank) * warps + warp;
    bool is_key = lane < 16;
    CacheRows fetched = {is_key ? keys.data : values.data, is_key ? keys.stride : values.stride, cells,
            is_key ? keys.size : values.size};
#pragma unroll
    for (int s = 0; s < STAGES; s++) {
        int tile = next + s * step;
        if (tile < tiles) prefetch(fetched.row(tile * TILE + (lane & 15)), fetched.size * 2);
    }

    Bias<1> bias;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int head = rows.head(t * 2 + r);
        bias.mask[0][r] = mask.data ? mask_row(mask, rows.token(t * 2 + r), head, batch) : nullptr;
        bias.slope[0][r] = alibi_slope(max_bias, head, heads) * LOG2_E;
    }
    DecodeState<HEAD, 1> state;
    state.clear();

    pdl_wait();
    int left = 0; // tiles in the ring
    auto copy = [&](int tile, int stage) {
        ring.copy(ring.keys(stage), keys, tile);
        ring.copy(ring.values(stage), values, tile);
        left++;
    };
#pragma unroll
    for (int s = 0; s < STAGES; s++) {
        if (next + s * step < tiles) copy(next + s * step, s);
        copy_async_commit();
    }
    u32 queries[HEAD / 16][2];
    load_token_queries<HEAD>(q, rows, softcap != 0.f ? scale / softcap : scale * LOG2_E, queries);
#pragma unroll
    for (int s = 0; s < STAGES; s++) {
        if (next + s * step < tiles) {
            bias.load(next + s * step, cells);
            ring.keep_bias(s, bias);
        }
    }
    next += STAGES * step;

    for (int stage = 0; left > 0; left--, stage = stage + 1 == STAGES ? 0 : stage + 1) {
        if (next < tiles) bias.load(next, cells);
        copy_async_wait<STAGES - 1>();
        __syncwarp();
        float4 b = ring.bias(stage);
        const float added[4] = {b.x, b.y, b.z, b.w};
        u32 seen_low = __ballot_sync(ALL_LANES, b.x != minus_infinity() || b.y != minus_infinity());
        u32 seen_high = __ballot_sync(ALL_LANES, b.z != minus_infinity() || b.w != minus_infinity());
        if (seen_low | seen_high) {
            float scores[4] = {};
            multiply_keys<HEAD>(ring.keys(stage), queries, scores);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float s = softcap != 0.f ? capped_score(scores[i], softcap) : scores[i];
                scores[i] = added[i] == minus_infinity() ? added[i] : s + added[i]; // the key may be anything then
            }
            u32 weights[2];
            state.weigh(0, scores, weights[0], weights[1]);
            // A weight of 0 does not cancel a value that is not a number.
            u32 kept_low = ALL_LANES, kept_high = ALL_LANES;
            if (!all_seen(seen_low) || !all_seen(seen_high)) {
                kept_low = seen_halves(seen_low, seen_high, 0);
                kept_high = seen_halves(seen_low, seen_high, 2);
            }
            multiply_values<HEAD>(ring.values(stage), weights, kept_low, kept_high, state);
        }
        __syncwarp();
        // The next tile that a row sees takes the place of this one.
        for (bool is_loaded = true; next < tiles; is_loaded = false) {
            if (!is_loaded) bias.load(next, cells);
            bool is_read = bias.seen(0) | bias.seen(1);
            if (is_read) {
                copy(next, stage);
                ring.keep_bias(stage, bias);
            }
            next += step;
            if (is_read) break;
        }
        copy_async_commit();
    }

    keep_sums<HEAD>(state, rows.count, ring, memory);
    __syncthreads();
    cluster_wait(); // all blocks have started
    TokenParts<HEAD> parts(rows.count, blocks);
    send_parts<HEAD>(parts, first_ring, memory, rank, blocks);
    __syncwarp();
    cluster_arrive();
    cluster_wait();
    store_part<HEAD>(parts, rows, memory, rank, blocks, out, sinks, published);
}

// Grid: kv heads * clusters of each * blocks of a cluster, 1, batches; block: 1 to 8 warps; cluster: 1, 2, 4 or 8 blocks.
// Dynamic shared memory: TokenMemory, and a TokenRing for each warp. Splits are the clusters of a kv head; with more than one nothing is published.
#define ATTENTION_TOKEN(HEAD) \
    KERNEL __launch_bounds__(256) attention_token_f16_h##HEAD(View q, View k, View v, View mask, const float *sinks, \
            float *result, float *partials, float *states, u8 *published, int splits, float scale, float max_bias, \
            float softcap) { \
        attention_token<HEAD>(q, k, v, mask, sinks, result, partials, states, published, splits, scale, max_bias, softcap); \
    }

ATTENTION_TOKEN(64)
ATTENTION_TOKEN(128)
