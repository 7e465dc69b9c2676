// Attention of one token, or of a few that have up to 8 rows of queries for a kv head, over a cache of f16: one launch.
//
// The products are those of attention_decode.cuh: a warp takes 16 cells at a time, for all rows of a kv head. The blocks
// of a cluster share the cells of a kv head, and combine their sums through distributed shared memory:
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
// The order of events is made for latency: the first tile of each warp is fetched into L2 before the launch that this one
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

// The shared memory of a block. States are {max, weight} of a row.
template <int HEAD> struct TokenMemory {
    static constexpr int STRIDE = HEAD + 4;
    float4 received[TOKEN_ROWS * HEAD / 4 + 4 * MOST_BLOCKS]; // [block][part]
    float2 received_states[MOST_BLOCKS][TOKEN_ROWS];
    float2 states[8][TOKEN_ROWS]; // by warp
    float sums[1];                // [warps][TOKEN_ROWS][STRIDE]: as much as there are warps

    METHOD float *row(int warp, int row) { return sums + (warp * TOKEN_ROWS + row) * STRIDE; }
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

// Sums of a warp into the shared memory of its block.
template <int HEAD> DEVICE void keep_sums(const DecodeState<HEAD, 1> &state, int rows, TokenMemory<HEAD> &memory) {
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
        float *to = memory.row(warp, row) + g * 8;
#pragma unroll
        for (int h = 0; h < HEAD / 64; h++) {
            const float(*s)[4] = &state.sums[0][h * 4];
            ((float4 *) (to + h * 64))[0] = make_float4(s[0][r], s[0][r + 2], s[1][r], s[1][r + 2]);
            ((float4 *) (to + h * 64))[1] = make_float4(s[2][r], s[2][r + 2], s[3][r], s[3][r + 2]);
        }
    }
}

// Adds up the sums of the warps of this block, and sends each block of the cluster its part and all states.
template <int HEAD> DEVICE void send_parts(const TokenParts<HEAD> &parts, TokenMemory<HEAD> &memory, int rank, int blocks) {
    int warps = blockDim.x >> 5;
    for (int item = threadIdx.x; item < parts.items; item += blockDim.x) {
        int row = item / parts.COLUMNS, column = item % parts.COLUMNS;
        JoinedState state(&memory.states[0][row], warps);
        float4 sum = state.sum((const float4 *) memory.row(0, row) + column, TOKEN_ROWS * memory.STRIDE / 4, warps);
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
    constexpr int K_CHUNKS = HEAD / 32, V_CHUNKS = HEAD / 64;
    extern __shared__ __align__(16) u8 token_memory[];
    TokenMemory<HEAD> &memory = *(TokenMemory<HEAD> *) token_memory;
    pdl_launch_dependents();
    cluster_arrive_relaxed();

    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5, g = lane >> 2, t = lane & 3;
    int blocks = (int) cluster_blocks(), rank = (int) cluster_rank(), cluster = (int) blockIdx.x / blocks;
    int kv_heads = (int) k.ne[2], heads = (int) q.ne[2], tokens = (int) q.ne[1], cells = (int) k.ne[1];
    int heads_per_kv = heads / kv_heads, split = cluster / kv_heads, batch = blockIdx.z;
    DecodeRows rows = {cluster - split * kv_heads, heads_per_kv, heads, tokens, batch, 0, heads_per_kv * tokens};
    AttentionOutput out = {result, partials, states, splits, split, (int) v.ne[0]};
    CacheRows keys = {k.data + rows.kv_head * k.nb[2] + batch * k.nb[3], k.nb[1], cells, (int) k.ne[0]};
    CacheRows values = {v.data + rows.kv_head * v.nb[2] + batch * v.nb[3], v.nb[1], cells, (int) v.ne[0]};

    // Half of the lanes fetch the keys of a tile into L2, the others its values.
    int tiles = (cells + TILE - 1) / TILE, step = splits * blocks * warps;
    bool is_key = lane < 16;
    CacheRows fetched = {is_key ? keys.data : values.data, is_key ? keys.stride : values.stride, cells,
            is_key ? keys.size : values.size};
    auto fetch = [&](int tile) {
        if (tile < tiles) prefetch(fetched.row(tile * TILE + (lane & 15)), fetched.size * 2);
    };
    int tile = (split * blocks + rank) * warps + warp;
    fetch(tile);
    fetch(tile + step);

    Bias<1> bias, upcoming;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int head = rows.head(t * 2 + r);
        bias.mask[0][r] = mask.data ? mask_row(mask, rows.token(t * 2 + r), head, batch) : nullptr;
        bias.slope[0][r] = alibi_slope(max_bias, head, heads) * LOG2_E;
    }
    upcoming = bias;

    RegisterTile<TYPE_F16, 2, K_CHUNKS> key_tile;
    RegisterTile<TYPE_F16, 4, V_CHUNKS> value_tile;
    auto load_keys = [&](int tile) {
#pragma unroll
        for (int c = 0; c < 2; c++) key_tile.load(c, keys, tile * TILE + g + c * 8, t * 8, 32);
    };
    auto load_values = [&](int tile) {
#pragma unroll
        for (int c = 0; c < 4; c++) value_tile.load(c, values, tile * TILE + 2 * t + (c & 1) + (c >> 1) * 8, g * 8, 64);
    };
    u32 seen_low = 0, seen_high = 0;
    // The first tile from this one on that a row sees; its bias has been loaded if there is such a tile.
    auto find_seen = [&](int tile, Bias<1> &b, bool is_loaded) {
        for (; tile < tiles; tile += step, is_loaded = false) {
            if (!is_loaded) b.load(tile, cells);
            seen_low = b.seen(0);
            seen_high = b.seen(1);
            if (seen_low | seen_high) break;
        }
        return tile;
    };
    DecodeState<HEAD, 1> state;
    state.clear();

    pdl_wait();
    u32 queries[1][K_CHUNKS][4];
    load_queries<HEAD, 1>(q, rows, softcap != 0.f ? scale / softcap : scale * LOG2_E, queries);
    if (tile < tiles) {
        load_keys(tile);
        load_values(tile);
        bias.load(tile, cells);
    }
    int first = tile;
    tile = find_seen(tile, bias, true);
    if (tile != first && tile < tiles) {
        load_keys(tile);
        load_values(tile);
    }
    while (tile < tiles) {
        int next = tile + step;
        u32 low_now = seen_low, high_now = seen_high;
        if (next < tiles) upcoming.load(next, cells);
        // Two sums, since each product waits for the one before.
        float scores[4] = {}, more_scores[4] = {};
#pragma unroll
        for (int j = 0; j < K_CHUNKS; j++) {
            u32 a[4], b[4];
            key_tile.halves(0, j, a);
            key_tile.halves(1, j, b);
            mma_16x8x16(scores, a[0], b[0], a[1], b[1], queries[0][j][0], queries[0][j][1]);
            mma_16x8x16(more_scores, a[2], b[2], a[3], b[3], queries[0][j][2], queries[0][j][3]);
        }
        next = find_seen(next, upcoming, true);
        if (next < tiles) {
            load_keys(next);
            fetch(next + step);
        }
        u32 weights[2];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float s = scores[i] + more_scores[i], added = bias.added[0][i >> 1][i & 1];
            if (softcap != 0.f) s = capped_score(s, softcap);
            scores[i] = added == minus_infinity() ? added : s + added; // the key may be anything then
        }
        state.weigh(0, scores, weights[0], weights[1]);

        bool some_hidden = !all_seen(low_now) || !all_seen(high_now);
#pragma unroll
        for (int h = 0; h < V_CHUNKS; h++) {
            u32 x[4][4];
#pragma unroll
            for (int c = 0; c < 4; c++) {
                value_tile.halves(c, h, x[c]);
                // A weight of 0 does not cancel a value that is not a number.
                if (some_hidden && !is_seen(low_now, high_now, c)) x[c][0] = x[c][1] = x[c][2] = x[c][3] = 0;
            }
#pragma unroll
            for (int i = 0; i < 4; i++) {
                u32 a0 = __byte_perm(x[0][i], x[1][i], 0x5410), a1 = __byte_perm(x[0][i], x[1][i], 0x7632);
                u32 a2 = __byte_perm(x[2][i], x[3][i], 0x5410), a3 = __byte_perm(x[2][i], x[3][i], 0x7632);
                mma_16x8x16(state.sums[0][h * 4 + i], a0, a1, a2, a3, weights[0], weights[1]);
            }
        }
        if (next < tiles) load_values(next);
        bias = upcoming;
        tile = next;
    }

    keep_sums<HEAD>(state, rows.count, memory);
    __syncthreads();
    cluster_wait(); // all blocks have started
    TokenParts<HEAD> parts(rows.count, blocks);
    send_parts<HEAD>(parts, memory, rank, blocks);
    __syncwarp();
    cluster_arrive();
    cluster_wait();
    store_part<HEAD>(parts, rows, memory, rank, blocks, out, sinks, published);
}

// Grid: kv heads * clusters of each * blocks of a cluster, 1, batches; block: 1 to 8 warps; cluster: 1, 2, 4 or 8 blocks.
// Dynamic shared memory: TokenMemory. Splits are the clusters of a kv head; with more than one nothing is published.
#define ATTENTION_TOKEN(HEAD) \
    KERNEL __launch_bounds__(256) attention_token_f16_h##HEAD(View q, View k, View v, View mask, const float *sinks, \
            float *result, float *partials, float *states, u8 *published, int splits, float scale, float max_bias, \
            float softcap) { \
        attention_token<HEAD>(q, k, v, mask, sinks, result, partials, states, published, splits, scale, max_bias, softcap); \
    }

ATTENTION_TOKEN(64)
ATTENTION_TOKEN(128)
