// Attention over prompts for sm_90a: wgmma and copies by tensor maps, f16 caches, heads of 64 or 128.
//
// A block takes 128 queries of a head and walks over the tiles of 128 cells that any of them sees. Threads 0 to 255 are
// two warpgroups that compute, with 64 queries each; one thread of a third loads keys and values, two tiles of each
// ahead. A warpgroup begins the scores of the next tile before it adds the values of this one and computes weights, so
// that the tensor cores have work meanwhile:
//
//     scores(0)  weights(0)  [scores(1)  values(0)]  weights(1)  [scores(2)  values(1)]  weights(2)  ...  values(last)
//
// Shared memory, all in rows of 64 elements (128 bytes) with the swizzle that wgmma and the copies share:
//
//     queries [HEAD / 64][128 rows]   keys [2][HEAD / 64][128 cells]   values [2][HEAD / 64][128 cells]
//     mask [2][128 rows], for tiles that need it   list of tiles
#include "attention_common.cuh"
#include "attention_wgmma.cuh"

constexpr int WIDE = 128; // queries and cells of a tile
constexpr int PANEL = WIDE * 128; // bytes of 128 rows of 64 elements

DEVICE void barrier_init(u32 barrier, int count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory"); }
DEVICE void barrier_expect(u32 barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
DEVICE void barrier_arrive(u32 barrier) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory"); }
DEVICE void barrier_wait(u32 barrier, u32 parity) {
    asm volatile("{\n.reg .pred p;\n"
            "WAIT_%=:\n"
            "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
            "@p bra DONE_%=;\n"
            "bra WAIT_%=;\n"
            "DONE_%=:\n}" ::"r"(barrier), "r"(parity) : "memory");
}
DEVICE void fence_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
// Writes of threads to shared memory before this can be seen by wgmma and by bulk copies after it.
DEVICE void fence_shared() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
DEVICE void copy_box(u32 target, const TensorMap *map, int column, int row, u32 barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
            ::"r"(target), "l"(map), "r"(column), "r"(row), "r"(barrier) : "memory");
}
DEVICE void sync_threads(int barrier, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory"); }

DEVICE u32 load_shared(u32 address) {
    u32 r;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(r) : "r"(address) : "memory");
    return r;
}

// A tile in the list: its number, whether the mask must be read, and how many of its leading cells are seen, less one.
DEVICE u32 list_entry(int tile, bool mixed, int seen) { return (u32) tile << 8 | (mixed ? 128 : 0) | (seen - 1); }
DEVICE int entry_tile(u32 e) { return e >> 8; }
DEVICE bool entry_mixed(u32 e) { return e & 128; }
DEVICE int entry_seen(u32 e) { return (e & 127) + 1; }

// A warp lists the tiles that are seen; returns how many.
DEVICE int list_tiles(u32 *list, const u16 *kinds, int cells) {
    int lane = threadIdx.x & 31, tiles = (cells + WIDE - 1) / WIDE, count = 0;
    for (int first = 0; first < tiles; first += 32) {
        int tile = first + lane;
        int there = min(WIDE, cells - tile * WIDE);
        int seen = tile >= tiles ? 0 : kinds ? min(there, seen_cells(kinds[tile])) : there;
        u32 lanes = __ballot_sync(0xffffffffu, seen > 0);
        if (seen > 0) {
            bool mixed = kinds && is_mixed(kinds[tile]);
            list[count + __popc(lanes & ((1u << lane) - 1))] = list_entry(tile, mixed, seen);
        }
        count += __popc(lanes);
    }
    return count;
}

// Queries of a warpgroup as f16 in shared memory; rows after the last are zeros.
template <int HEAD> DEVICE void stage_queries(u8 *queries, const View &q, int first_token, int head, int batch, float factor) {
    int group = threadIdx.x >> 7, tokens = (int) q.ne[1];
    constexpr int PIECES = HEAD / 8;
    for (int i = threadIdx.x & 127; i < 64 * PIECES; i += 128) {
        int row = group * 64 + i / PIECES, piece = i % PIECES, token = first_token + row;
        u32 h[4] = {0, 0, 0, 0};
        if (token < tokens) {
            const float4 *from = (const float4 *) (q.data + token * q.nb[1] + head * q.nb[2] + batch * q.nb[3]) + piece * 2;
            float4 a = from[0], b = from[1];
            h[0] = clamped_halves(a.x * factor, a.y * factor);
            h[1] = clamped_halves(a.z * factor, a.w * factor);
            h[2] = clamped_halves(b.x * factor, b.y * factor);
            h[3] = clamped_halves(b.z * factor, b.w * factor);
        }
        *(uint4 *) (queries + (piece >> 3) * PANEL + row * 128 + ((piece & 7) ^ (row & 7)) * 16) = make_uint4(h[0], h[1], h[2], h[3]);
    }
}

// Where the rows of a head begin in the matrix of a tensor map.
struct BoxOrigin {
    const TensorMap *map;
    int column, row;

    // Copies 128 rows, 64 columns of which are a panel.
    template <int PANELS> METHOD void load(u32 target, int columns_on, int rows_on, u32 barrier) const {
        barrier_expect(barrier, PANELS * PANEL);
#pragma unroll
        for (int p = 0; p < PANELS; p++) copy_box(target + p * PANEL, map, column + columns_on + p * 64, row + rows_on, barrier);
    }
};

// Shared memory and barriers, by address. A barrier of tiles is full when its copy has arrived and free when both
// warpgroups have read it.
struct WideMemory {
    u32 queries, keys, values, mask;
    u32 full_keys, full_values, free_keys, free_values, full_mask, free_mask;
};

// What the thread that loads does.
template <int HEAD>
DEVICE void load_tiles(const WideMemory &m, const BoxOrigin &keys, const BoxOrigin &values, const BoxOrigin &mask, const u32 *list, int count) {
    constexpr int PANELS = HEAD / 64, BYTES = PANELS * PANEL;
    int masks = 0;
    for (int j = 0; j < count; j++) {
        int stage = j & 1, cell = entry_tile(list[j]) * WIDE;
        u32 parity = (j >> 1 & 1) ^ 1;
        if (j >= 2) barrier_wait(m.free_keys + stage * 8, parity);
        keys.load<PANELS>(m.keys + stage * BYTES, 0, cell, m.full_keys + stage * 8);
        if (entry_mixed(list[j])) {
            if (masks > 0) barrier_wait(m.free_mask, (masks - 1) & 1);
            mask.load<2>(m.mask, cell, 0, m.full_mask);
            masks++;
        }
        if (j >= 2) barrier_wait(m.free_values + stage * 8, parity);
        values.load<PANELS>(m.values + stage * BYTES, 0, cell, m.full_values + stage * 8);
    }
}

// Scores of a thread: rows r and r + 8 of a warp, 128 cells.
struct WideScores {
    float s[64];
    float max[2], weight[2], factor[2];

    METHOD void cap(float softcap) {
#pragma unroll
        for (int i = 0; i < 64; i++) s[i] = capped_score(s[i], softcap);
    }

    // Hides the cells from number `left` on, counted from the first cell of this thread.
    METHOD void hide_missing(int left) {
#pragma unroll
        for (int i = 0; i < 64; i++) {
            if (i / 4 * 8 + i % 2 >= left) s[i] = minus_infinity();
        }
    }

    // Adds the mask in shared memory, of whose tile this thread has rows `row` and `row` + 8.
    METHOD void add_mask(u32 mask, int row, int t, float slope) {
#pragma unroll
        for (int i = 0; i < 32; i++) {
            int r = row + (i & 1) * 8, piece = i >> 1; // 8 cells
            u32 pair = load_shared(mask + (piece >> 3) * PANEL + r * 128 + ((piece & 7) ^ (row & 7)) * 16 + t * 4);
            float a = half_to_float((u16) pair) * slope, b = half_to_float((u16) (pair >> 16)) * slope;
            s[i * 2] = a == minus_infinity() ? a : s[i * 2] + a;
            s[i * 2 + 1] = b == minus_infinity() ? b : s[i * 2 + 1] + b;
        }
    }

    // Scores become weights; factor is what sums so far are to be multiplied by.
    METHOD void weigh() {
#pragma unroll
        for (int r = 0; r < 2; r++) {
            float larger = max[r];
#pragma unroll
            for (int i = 0; i < 16; i++) larger = fmaxf(larger, fmaxf(s[i * 4 + r * 2], s[i * 4 + r * 2 + 1]));
            larger = fmaxf(larger, __shfl_xor_sync(0xffffffffu, larger, 1));
            larger = fmaxf(larger, __shfl_xor_sync(0xffffffffu, larger, 2));
            float base = score_base(larger), total = 0.f;
            factor[r] = exp2_fast(max[r] - base);
            max[r] = larger;
#pragma unroll
            for (int i = 0; i < 16; i++) {
                float a = exp2_fast(s[i * 4 + r * 2] - base), b = exp2_fast(s[i * 4 + r * 2 + 1] - base);
                s[i * 4 + r * 2] = a;
                s[i * 4 + r * 2 + 1] = b;
                total += a + b;
            }
            weight[r] = weight[r] * factor[r] + total;
        }
    }

    METHOD void pack(u32 (&p)[32]) const {
#pragma unroll
        for (int i = 0; i < 32; i++) p[i] = pack_halves(s[i * 2], s[i * 2 + 1]);
    }
};

// Values of cells that no query sees may be not a number: zeros instead. All 256 threads that compute.
template <int HEAD> DEVICE void clear_values(u8 *values, int seen) {
    constexpr int PIECES = HEAD / 8;
    for (int i = threadIdx.x; i < (WIDE - seen) * PIECES; i += 256) {
        int row = seen + i / PIECES, piece = i % PIECES;
        *(uint4 *) (values + (piece >> 3) * PANEL + row * 128 + (piece & 7) * 16) = make_uint4(0, 0, 0, 0);
    }
    fence_shared();
    sync_threads(1, 256);
}

// Grid: tiles of tokens * heads, batches; block: 384 threads. Row and column numbers are where the next kv head, or the
// next batch, begins in the matrix of a tensor map.
template <int HEAD>
DEVICE void attention_sm90(const TensorMap *key_map, const TensorMap *value_map, const TensorMap *mask_map, const View &q, const View &mask,
        const u16 *classes, const float *sinks, float *result, int cells, int kv_heads, int key_columns, int key_rows, int key_batch_rows,
        int value_columns, int value_rows, int value_batch_rows, float scale, float max_bias, float softcap) {
    constexpr int PANELS = HEAD / 64, BYTES = PANELS * PANEL;
    extern __shared__ u8 wide_memory[];
    __shared__ __align__(8) u64 barriers[10];
    __shared__ int tile_count;
    u8 *queries = wide_memory + ((1024 - (shared_address(wide_memory) & 1023)) & 1023);
    u8 *value_tiles = queries + 3 * BYTES;
    u32 *list = (u32 *) (queries + 5 * BYTES + 2 * PANEL);
    u32 base = shared_address(queries), first_barrier = shared_address(barriers);
    WideMemory m = {base, base + BYTES, base + 3 * BYTES, base + 5 * BYTES, first_barrier, first_barrier + 16, first_barrier + 32,
            first_barrier + 48, first_barrier + 64, first_barrier + 72};

    int thread = threadIdx.x, group = thread >> 7, heads = (int) q.ne[2], tokens = (int) q.ne[1], batch = blockIdx.y;
    int token_tiles = (tokens + WIDE - 1) / WIDE;
    // The last tokens see the most cells in a causal mask: they go first.
    int token_tile = token_tiles - 1 - blockIdx.x / heads, head = blockIdx.x % heads, kv_head = head / (heads / kv_heads);

    pdl_launch_dependents();
    if (thread == 0) {
        for (int i = 0; i < 4; i++) barrier_init(m.full_keys + i * 8, 1);
        for (int i = 0; i < 4; i++) barrier_init(m.free_keys + i * 8, 2);
        barrier_init(m.full_mask, 1);
        barrier_init(m.free_mask, 2);
        fence_barriers();
        fence_shared();
    }
    pdl_wait();
    if (thread < 32) {
        int tiles = (cells + WIDE - 1) / WIDE;
        const u16 *kinds = classes ? mask_classes(classes, mask, head, batch, token_tile, token_tiles, tiles) : nullptr;
        int listed = list_tiles(list, kinds, cells);
        if (thread == 0) tile_count = listed;
    }
    __syncthreads();
    int count = tile_count;

    if (group == 2) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (thread == 256) {
            BoxOrigin keys = {key_map, kv_head * key_columns, kv_head * key_rows + batch * key_batch_rows};
            BoxOrigin values = {value_map, kv_head * value_columns, kv_head * value_rows + batch * value_batch_rows};
            int mask_head = mask.data ? (batch % (int) mask.ne[3]) * (int) mask.ne[2] + head % (int) mask.ne[2] : 0;
            BoxOrigin masks = {mask_map, 0, mask_head * (int) mask.ne[1] + token_tile * WIDE};
            load_tiles<HEAD>(m, keys, values, masks, list, count);
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    int warp = thread >> 5 & 3, lane = thread & 31, g = lane >> 2, t = lane & 3;
    stage_queries<HEAD>(queries, q, token_tile * WIDE, head, batch, softcap != 0.f ? scale / softcap : scale * LOG2_E);
    fence_shared();
    sync_threads(2 + group, 128);

    int row = group * 64 + warp * 16 + g;
    float slope = alibi_slope(max_bias, head, heads) * LOG2_E;

    float sums[HEAD / 2];
#pragma unroll
    for (int i = 0; i < HEAD / 2; i++) sums[i] = 0.f;
    WideScores scores;
    scores.max[0] = scores.max[1] = minus_infinity();
    scores.weight[0] = scores.weight[1] = 0.f;
    u32 weights[32];
    int masks = 0; // how many have been read

    auto begin_scores = [&](int stage) {
        u64 a = row_major_descriptor(m.queries + group * 64 * 128), b = row_major_descriptor(m.keys + stage * BYTES);
        wgmma_fence();
#pragma unroll
        for (int j = 0; j < HEAD / 16; j++) {
            int at = (j & 3) * 2 + (j >> 2) * (PANEL >> 4);
            wgmma_64x128(scores.s, a + at, b + at, j);
        }
        wgmma_commit();
    };
    auto begin_values = [&](int stage, u32 entry) {
        if (entry_seen(entry) < WIDE) clear_values<HEAD>(value_tiles + stage * BYTES, entry_seen(entry));
        u64 b = column_descriptor(m.values + stage * BYTES, PANEL);
        wgmma_pin(sums);
        wgmma_fence();
#pragma unroll
        for (int j = 0; j < WIDE / 16; j++) {
            if constexpr (HEAD == 128) wgmma_64x128_values(sums, weights + j * 4, b + j * 128);
            else wgmma_64x64_values(sums, weights + j * 4, b + j * 128);
        }
        wgmma_commit();
    };
    auto weigh = [&](u32 entry) {
        if (softcap != 0.f) scores.cap(softcap);
        if (entry_mixed(entry)) {
            barrier_wait(m.full_mask, masks & 1);
            scores.add_mask(m.mask, row, t, slope);
            masks++;
            sync_threads(2 + group, 128);
            if ((thread & 127) == 0) barrier_arrive(m.free_mask);
        }
        int left = cells - entry_tile(entry) * WIDE;
        if (left < WIDE) scores.hide_missing(left - t * 2);
        scores.weigh();
    };

    if (count > 0) {
        barrier_wait(m.full_keys, 0);
        begin_scores(0);
        wgmma_wait<0>();
        wgmma_pin(scores.s);
        if ((thread & 127) == 0) barrier_arrive(m.free_keys);
        weigh(list[0]);
        scores.pack(weights);
        for (int j = 1; j < count; j++) {
            int stage = j & 1, before = stage ^ 1;
            barrier_wait(m.full_keys + stage * 8, j >> 1 & 1);
            begin_scores(stage);
            barrier_wait(m.full_values + before * 8, (j - 1) >> 1 & 1);
            begin_values(before, list[j - 1]);
            wgmma_wait<1>();
            wgmma_pin(scores.s);
            if ((thread & 127) == 0) barrier_arrive(m.free_keys + stage * 8);
            weigh(list[j]);
            wgmma_wait<0>();
            wgmma_pin(sums);
            if ((thread & 127) == 0) barrier_arrive(m.free_values + before * 8);
#pragma unroll
            for (int i = 0; i < HEAD / 2; i++) sums[i] *= scores.factor[i % 4 / 2];
            scores.pack(weights);
        }
        int last = (count - 1) & 1;
        barrier_wait(m.full_values + last * 8, (count - 1) >> 1 & 1);
        begin_values(last, list[count - 1]);
        wgmma_wait<0>();
        wgmma_pin(sums);
    }

#pragma unroll
    for (int r = 0; r < 2; r++) {
        float w = scores.weight[r];
        w += __shfl_xor_sync(0xffffffffu, w, 1);
        w += __shfl_xor_sync(0xffffffffu, w, 2);
        int token = token_tile * WIDE + row + r * 8;
        if (token >= tokens) continue;
        float factor = final_factor(scores.max[r], w, sinks, head);
        float *to = result + (((i64) batch * tokens + token) * heads + head) * HEAD + t * 2;
#pragma unroll
        for (int i = 0; i < HEAD / 8; i++) {
            *(float2 *) (to + i * 8) = make_float2(sums[i * 4 + r * 2] * factor, sums[i * 4 + r * 2 + 1] * factor);
        }
    }
}

// Dynamic shared memory: 1024 + 1280 * HEAD + 32768 + 4 * tiles of cells bytes.
#define ATTENTION_SM90(HEAD) \
    KERNEL __launch_bounds__(384, 1) attention_sm90_f16_h##HEAD(const __grid_constant__ TensorMap keys, \
            const __grid_constant__ TensorMap values, const __grid_constant__ TensorMap masks, View q, View mask, \
            const u16 *classes, const float *sinks, float *result, int cells, int kv_heads, int key_columns, int key_rows, \
            int key_batch_rows, int value_columns, int value_rows, int value_batch_rows, float scale, float max_bias, \
            float softcap) { \
        attention_sm90<HEAD>(&keys, &values, &masks, q, mask, classes, sinks, result, cells, kv_heads, key_columns, key_rows, \
                key_batch_rows, value_columns, value_rows, value_batch_rows, scale, max_bias, softcap); \
    }

ATTENTION_SM90(64)
ATTENTION_SM90(128)
