// Attention of few queries over a cache: one block for a kv head, a group of query rows and a split of the cells.
//
// All query heads of a kv head are rows of one small matrix, so that keys and values are read once for all of them:
// row = token * heads_per_kv_head + head. A warp takes 16 cells at a time and computes, by tensor cores, with the rows
// as the narrow side:
//
//     scores [16 cells x 8 rows]   = keys [16 x size] * queries^T
//     sums   [size x 8 rows]      += values^T [size x 16] * weights [16 x 8]
//
// Both products may take the elements of a head in any order, as long as both factors (or the result) have the same
// order. It is chosen so that a thread loads 16 bytes that follow each other straight into the registers of the product:
// with g = lane / 4 and t = lane % 4
//
//     keys:   thread has cells g and g + 8,                  elements (4j + t) * 8 ... + 7 for j = 0, 1, ...
//     values: thread has cells 2t, 2t + 1, 2t + 8, 2t + 9,   elements 64h + 8g ... + 7 for h = 0, 1, ...
//
// Tiles of 16 cells are dealt out in turn to all warps of all splits, so that work is even if the last cells are not
// seen; tiles that no row sees are not read. While the scores are worked on, the keys of the next tile are loaded, and
// while those keys are worked on, its values.
#pragma once
#include "attention_common.cuh"

constexpr int TILE = 16;
constexpr u32 ALL_LANES = 0xffffffffu;

// How elements of floating-point caches become f16: 8 of them, from one or two words of 16 bytes.
template <int TYPE> struct FloatCells {
    static constexpr int WORDS = TYPE == TYPE_F32 ? 2 : 1;

    static METHOD void halves(const uint4 (&w)[WORDS], u32 (&h)[4]) {
        const u32 raw[4] = {w[0].x, w[0].y, w[0].z, w[0].w};
        if constexpr (TYPE == TYPE_F16) {
#pragma unroll
            for (int i = 0; i < 4; i++) h[i] = raw[i];
        } else if constexpr (TYPE == TYPE_BF16) {
#pragma unroll
            for (int i = 0; i < 4; i++) h[i] = clamped_halves(low_bfloat(raw[i]), high_bfloat(raw[i]));
        } else {
            h[0] = clamped_halves(__uint_as_float(w[0].x), __uint_as_float(w[0].y));
            h[1] = clamped_halves(__uint_as_float(w[0].z), __uint_as_float(w[0].w));
            h[2] = clamped_halves(__uint_as_float(w[1].x), __uint_as_float(w[1].y));
            h[3] = clamped_halves(__uint_as_float(w[1].z), __uint_as_float(w[1].w));
        }
    }
};

// A cell's row of keys or values in global memory; cells from the last on repeat the last, whose weight is then 0.
struct CacheRows {
    const u8 *data;
    i64 stride;
    int cells;
    int size; // elements that are there of the HEAD that the kernel is for

    METHOD const u8 *row(int cell) const { return data + min(cell, cells - 1) * stride; }
};

// The keys or values of a tile in the registers of a thread: floating-point caches.
template <int TYPE, int ROWS, int CHUNKS> struct RegisterTile {
    static constexpr int WORDS = FloatCells<TYPE>::WORDS;
    static constexpr int ELEMENT = TYPE == TYPE_F32 ? 4 : 2;
    uint4 words[ROWS][CHUNKS][WORDS];

    // Elements first + c * step ... + 7 of a cell, for every chunk c.
    METHOD void load(int r, const CacheRows &rows, int cell, int first, int step) {
        const u8 *row = rows.row(cell);
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) {
            int element = first + c * step;
#pragma unroll
            for (int w = 0; w < WORDS; w++) {
                words[r][c][w] = element < rows.size ? ((const uint4 *) (row + element * ELEMENT))[w] : make_uint4(0, 0, 0, 0);
            }
        }
    }

    METHOD void halves(int r, int c, u32 (&h)[4]) const { FloatCells<TYPE>::halves(words[r][c], h); }
};

// Reads 8 elements of a row of q8_0 blocks in shared memory, which is aligned to 4 bytes: 34-byte blocks, scale first.
DEVICE void q8_halves(const u8 *row, int element, u32 (&h)[4]) {
    const u8 *block = row + (element >> 5) * 34;
    u32 at = 2 + (element & 31);
    // Odd blocks have their bytes at a multiple of 4, even ones 2 bytes after one.
    bool shifted = !(element >> 5 & 1);
    const u32 *w = (const u32 *) (block + at - (shifted ? 2 : 0));
    u32 selector = shifted ? 0x5432 : 0x3210;
    u32 w0 = w[0], w1 = w[1], w2 = shifted ? w[2] : 0;
    u32 scale = *(const u16 *) block;
    scale |= scale << 16;
    bytes_to_halves(__byte_perm(w0, w1, selector), scale, h[0], h[1]);
    bytes_to_halves(__byte_perm(w1, w2, selector), scale, h[2], h[3]);
}

// The keys or values of a warp's tile in shared memory, as they are stored: q8_0 caches, whose rows are not aligned to
// 16 bytes.
template <int HEAD> struct SharedTile {
    static constexpr int STRIDE = (HEAD / 32 * 34 + 7) / 8 * 8 + 8;
    static constexpr int BYTES = TILE * STRIDE;
    u8 *memory;

    METHOD void load(const CacheRows &rows, int first_cell, bool by_8) {
        int lane = threadIdx.x & 31, bytes = rows.size / 32 * 34;
        int width = by_8 ? 8 : 4, per_row = bytes / width;
        for (int i = lane; i < TILE * per_row; i += 32) {
            int r = i / per_row, at = (i - r * per_row) * width;
            u32 target = shared_address(memory + r * STRIDE + at);
            const u8 *source = rows.row(first_cell + r) + at;
            if (by_8) copy_async_8(target, source);
            else copy_async_4(target, source);
        }
    }

    METHOD void halves(int cell, int element, int size, u32 (&h)[4]) const {
        if (element < size) q8_halves(memory + cell * STRIDE, element, h);
        else h[0] = h[1] = h[2] = h[3] = 0;
    }
};

// What a thread adds to the scores of its cells (g and g + 8) and rows (2t and 2t + 1 of each group of 8).
template <int GROUPS> struct Bias {
    const u16 *mask[GROUPS][2];
    float slope[GROUPS][2];
    float added[GROUPS][2][2]; // [group][cell][row]

    METHOD void load(int tile, int cells) {
        int g = (threadIdx.x & 31) >> 2;
#pragma unroll
        for (int c = 0; c < 2; c++) {
            int cell = tile * TILE + g + c * 8;
#pragma unroll
            for (int n = 0; n < GROUPS; n++) {
#pragma unroll
                for (int r = 0; r < 2; r++) {
                    float x = cell < cells ? 0.f : minus_infinity();
                    if (cell < cells && mask[n][r]) x = half_to_float(mask[n][r][cell]) * slope[n][r];
                    added[n][c][r] = x;
                }
            }
        }
    }

    // One bit for each thread: whether a row of it sees its cell g (c = 0) or g + 8 (c = 1).
    METHOD u32 seen(int c) const {
        bool any = false;
#pragma unroll
        for (int n = 0; n < GROUPS; n++) any |= added[n][c][0] != minus_infinity() || added[n][c][1] != minus_infinity();
        return __ballot_sync(ALL_LANES, any);
    }
};

// An 8 x 8 matrix of f16 of which each thread has two elements of row g, with rows and columns exchanged.
DEVICE u32 transposed(u32 pair) {
    u32 r;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(pair));
    return r;
}

// The state of a warp: sums over the cells it has seen, relative to the largest score.
template <int HEAD, int GROUPS> struct DecodeState {
    static constexpr int SUMS = HEAD / 16;
    float sums[GROUPS][SUMS][4];
    float max[GROUPS][2], weight[GROUPS][2];

    METHOD void clear() {
#pragma unroll
        for (int n = 0; n < GROUPS; n++) {
            max[n][0] = max[n][1] = minus_infinity();
            weight[n][0] = weight[n][1] = 0.f;
#pragma unroll
            for (int i = 0; i < SUMS; i++) sums[n][i][0] = sums[n][i][1] = sums[n][i][2] = sums[n][i][3] = 0.f;
        }
    }

    METHOD void rescale(int n, float f0, float f1) {
#pragma unroll
        for (int i = 0; i < SUMS; i++) {
            sums[n][i][0] *= f0;
            sums[n][i][1] *= f1;
            sums[n][i][2] *= f0;
            sums[n][i][3] *= f1;
        }
    }

    // Scores of a group of 8 rows become weights, packed as the second product wants them.
    METHOD void weigh(int n, float (&s)[4], u32 &low, u32 &high) {
        float factor[2];
#pragma unroll
        for (int r = 0; r < 2; r++) {
            float larger = fmaxf(s[r], s[r + 2]);
            larger = fmaxf(larger, __shfl_xor_sync(ALL_LANES, larger, 4));
            larger = fmaxf(larger, __shfl_xor_sync(ALL_LANES, larger, 8));
            larger = fmaxf(larger, __shfl_xor_sync(ALL_LANES, larger, 16));
            larger = fmaxf(larger, max[n][r]);
            float base = score_base(larger);
            factor[r] = exp2_fast(max[n][r] - base);
            max[n][r] = larger;
            s[r] = exp2_fast(s[r] - base);
            s[r + 2] = exp2_fast(s[r + 2] - base);
            weight[n][r] = weight[n][r] * factor[r] + s[r] + s[r + 2];
        }
        if (__any_sync(ALL_LANES, factor[0] != 1.f || factor[1] != 1.f)) rescale(n, factor[0], factor[1]);
        low = transposed(pack_halves(s[0], s[1]));
        high = transposed(pack_halves(s[2], s[3]));
    }

    // The sum over the threads of a row's cells, and then over the warps of the block: the result is in warp 0.
    METHOD void reduce(float *memory) {
        int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
        constexpr int ROWS = GROUPS * 8;
        float *maxima = memory, *totals = memory + warps * ROWS, *exchange = memory + 2 * warps * ROWS;
        int t = lane & 3;
#pragma unroll
        for (int n = 0; n < GROUPS; n++) {
#pragma unroll
            for (int r = 0; r < 2; r++) {
                float w = weight[n][r];
                w += __shfl_xor_sync(ALL_LANES, w, 4);
                w += __shfl_xor_sync(ALL_LANES, w, 8);
                w += __shfl_xor_sync(ALL_LANES, w, 16);
                weight[n][r] = w;
                if (lane < 4) {
                    maxima[warp * ROWS + n * 8 + t * 2 + r] = max[n][r];
                    totals[warp * ROWS + n * 8 + t * 2 + r] = w;
                }
            }
        }
        __syncthreads();
#pragma unroll
        for (int n = 0; n < GROUPS; n++) {
            float factor[2];
#pragma unroll
            for (int r = 0; r < 2; r++) {
                int row = n * 8 + t * 2 + r;
                float largest = minus_infinity(), total = 0.f;
                for (int w = 0; w < warps; w++) largest = fmaxf(largest, maxima[w * ROWS + row]);
                float base = score_base(largest);
                for (int w = 0; w < warps; w++) total += totals[w * ROWS + row] * exp2_fast(maxima[w * ROWS + row] - base);
                factor[r] = exp2_fast(max[n][r] - base);
                max[n][r] = largest;
                weight[n][r] = total;
            }
            rescale(n, factor[0], factor[1]);
        }
        // Halving: the upper half of the warps gives its sums to the lower half. Warps are a power of two.
        constexpr int NUMBERS = GROUPS * SUMS; // of 4 floats
        for (int half = warps >> 1; half > 0; half >>= 1) {
            if (warp >= half && warp < 2 * half) {
                float4 *to = (float4 *) exchange + (warp - half) * NUMBERS * 32 + lane;
#pragma unroll
                for (int i = 0; i < NUMBERS; i++) {
                    const float *s = sums[i / SUMS][i % SUMS];
                    to[i * 32] = make_float4(s[0], s[1], s[2], s[3]);
                }
            }
            __syncthreads();
            if (warp < half) {
                const float4 *from = (const float4 *) exchange + warp * NUMBERS * 32 + lane;
#pragma unroll
                for (int i = 0; i < NUMBERS; i++) {
                    float4 x = from[i * 32];
                    float *s = sums[i / SUMS][i % SUMS];
                    s[0] += x.x;
                    s[1] += x.y;
                    s[2] += x.z;
                    s[3] += x.w;
                }
            }
            __syncthreads();
        }
    }
};

// The query rows of a block.
struct DecodeRows {
    int kv_head, heads_per_kv, heads, tokens, batch, first, count;

    // One token needs no division.
    METHOD int token(int row) const { return tokens == 1 ? 0 : min(first + row, count - 1) / heads_per_kv; }
    METHOD int head(int row) const {
        int r = min(first + row, count - 1);
        return kv_head * heads_per_kv + (tokens == 1 ? r : r % heads_per_kv);
    }
    METHOD bool has(int row) const { return first + row < count; }
    METHOD i64 result_row(int row) const { return ((i64) batch * tokens + token(row)) * heads + head(row); }
};

// Queries as the second factor of the first product, multiplied by a factor.
template <int HEAD, int GROUPS>
DEVICE void load_queries(const View &q, const DecodeRows &rows, float factor, u32 (&queries)[GROUPS][HEAD / 32][4]) {
    int g = (threadIdx.x & 31) >> 2, t = threadIdx.x & 3, size = (int) q.ne[0];
#pragma unroll
    for (int n = 0; n < GROUPS; n++) {
        int row = n * 8 + g;
        const float *from = (const float *) (q.data + rows.token(row) * q.nb[1] + rows.head(row) * q.nb[2] + rows.batch * q.nb[3]);
#pragma unroll
        for (int j = 0; j < HEAD / 32; j++) {
            int element = (4 * j + t) * 8;
            float4 a = make_float4(0, 0, 0, 0), b = a;
            if (rows.has(row) && element < size) {
                a = *(const float4 *) (from + element);
                b = *(const float4 *) (from + element + 4);
            }
            queries[n][j][0] = clamped_halves(a.x * factor, a.y * factor);
            queries[n][j][1] = clamped_halves(a.z * factor, a.w * factor);
            queries[n][j][2] = clamped_halves(b.x * factor, b.y * factor);
            queries[n][j][3] = clamped_halves(b.z * factor, b.w * factor);
        }
    }
}

// The epilogue: warp 0 has the sums of the block.
template <int HEAD, int GROUPS>
DEVICE void store_rows(const DecodeState<HEAD, GROUPS> &state, const DecodeRows &rows, const AttentionOutput &out, const float *sinks) {
    int g = (threadIdx.x & 31) >> 2, t = threadIdx.x & 3;
#pragma unroll
    for (int n = 0; n < GROUPS; n++) {
#pragma unroll
        for (int r = 0; r < 2; r++) {
            int row = n * 8 + t * 2 + r;
            if (!rows.has(row)) continue;
            i64 target = rows.result_row(row);
            float factor = out.splits > 1 ? 1.f : final_factor(state.max[n][r], state.weight[n][r], sinks, rows.head(row));
            if (out.splits > 1 && g == 0) {
                float *s = out.states + (target * out.splits + out.split) * 2;
                s[0] = state.max[n][r];
                s[1] = state.weight[n][r];
            }
            float *to = output_row(out, target) + g * 8;
#pragma unroll
            for (int h = 0; h < HEAD / 64; h++) {
                if (h * 64 + g * 8 >= out.size) continue;
                const float(*s)[4] = &state.sums[n][h * 4];
                ((float4 *) (to + h * 64))[0] = make_float4(s[0][r] * factor, s[0][r + 2] * factor, s[1][r] * factor, s[1][r + 2] * factor);
                ((float4 *) (to + h * 64))[1] = make_float4(s[2][r] * factor, s[2][r + 2] * factor, s[3][r] * factor, s[3][r + 2] * factor);
            }
        }
    }
}

// Whether the cells that a thread has values of (2t, 2t + 1, 2t + 8, 2t + 9) are seen, from the bits of Bias::seen.
DEVICE bool is_seen(u32 seen_low, u32 seen_high, int i) {
    int t = threadIdx.x & 3;
    return ((i < 2 ? seen_low : seen_high) >> (8 * t + 4 * (i & 1)) & 15) != 0;
}
DEVICE bool all_seen(u32 bits) {
    bits |= bits >> 1;
    bits |= bits >> 2;
    return (bits & 0x11111111u) == 0x11111111u;
}

template <int TYPE, int HEAD, int GROUPS>
DEVICE void attention_decode(const View &q, const View &k, const View &v, const View &mask, const float *sinks, float *result,
        float *partials, float *states, float scale, float max_bias, float softcap) {
    constexpr bool STAGED = TYPE == TYPE_Q8_0;
    constexpr int K_CHUNKS = HEAD / 32, V_CHUNKS = HEAD / 64;
    // Whether the next tile is loaded ahead: its registers, those of the sums and of the queries must fit.
    constexpr bool AHEAD = STAGED || HEAD * FloatCells<TYPE>::WORDS / 2 + HEAD * GROUPS * 3 / 8 <= 180;
    extern __shared__ __align__(16) u8 decode_memory[];
    pdl_launch_dependents();
    pdl_wait();

    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5, g = lane >> 2, t = lane & 3;
    int kv_heads = (int) k.ne[2], heads = (int) q.ne[2], tokens = (int) q.ne[1], cells = (int) k.ne[1];
    int heads_per_kv = heads / kv_heads, splits = gridDim.y, split = blockIdx.y, batch = blockIdx.z;
    DecodeRows rows = {(int) blockIdx.x % kv_heads, heads_per_kv, heads, tokens, batch,
            (int) (blockIdx.x / kv_heads) * GROUPS * 8, heads_per_kv * tokens};
    AttentionOutput out = {result, partials, states, splits, split, (int) v.ne[0]};
    CacheRows keys = {k.data + rows.kv_head * k.nb[2] + batch * k.nb[3], k.nb[1], cells, (int) k.ne[0]};
    CacheRows values = {v.data + rows.kv_head * v.nb[2] + batch * v.nb[3], v.nb[1], cells, (int) v.ne[0]};

    u32 queries[GROUPS][K_CHUNKS][4];
    load_queries<HEAD, GROUPS>(q, rows, softcap != 0.f ? scale / softcap : scale * LOG2_E, queries);
    Bias<GROUPS> bias, upcoming;
#pragma unroll
    for (int n = 0; n < GROUPS; n++) {
#pragma unroll
        for (int r = 0; r < 2; r++) {
            int row = n * 8 + t * 2 + r, head = rows.head(row);
            bias.mask[n][r] = mask.data ? mask_row(mask, rows.token(row), head, batch) : nullptr;
            bias.slope[n][r] = alibi_slope(max_bias, head, heads) * LOG2_E;
        }
    }
    upcoming = bias;

    RegisterTile<STAGED ? TYPE_F16 : TYPE, 2, K_CHUNKS> key_tile;
    RegisterTile<STAGED ? TYPE_F16 : TYPE, 4, V_CHUNKS> value_tile;
    SharedTile<HEAD> key_bytes = {decode_memory + warp * 2 * SharedTile<HEAD>::BYTES};
    SharedTile<HEAD> value_bytes = {key_bytes.memory + SharedTile<HEAD>::BYTES};
    bool keys_by_8 = (((u64) keys.data | (u64) keys.stride | (u64) (keys.size / 32 * 34)) & 7) == 0;
    bool values_by_8 = (((u64) values.data | (u64) values.stride | (u64) (values.size / 32 * 34)) & 7) == 0;
    auto load_keys = [&](int tile) {
        if constexpr (STAGED) {
            key_bytes.load(keys, tile * TILE, keys_by_8);
        } else {
#pragma unroll
            for (int c = 0; c < 2; c++) key_tile.load(c, keys, tile * TILE + g + c * 8, t * 8, 32);
        }
    };
    auto load_values = [&](int tile) {
        if constexpr (STAGED) {
            value_bytes.load(values, tile * TILE, values_by_8);
        } else {
#pragma unroll
            for (int c = 0; c < 4; c++) value_tile.load(c, values, tile * TILE + 2 * t + (c & 1) + (c >> 1) * 8, g * 8, 64);
        }
    };

    int tiles = (cells + TILE - 1) / TILE, step = splits * warps;
    u32 seen_low = 0, seen_high = 0;
    // The first tile from this one on that a row sees; its bias has been loaded if there is such a tile.
    auto find_seen = [&](int tile, Bias<GROUPS> &b, bool is_loaded) {
        for (; tile < tiles; tile += step, is_loaded = false) {
            if (!is_loaded) b.load(tile, cells);
            seen_low = b.seen(0);
            seen_high = b.seen(1);
            if (seen_low | seen_high) break;
        }
        return tile;
    };

    DecodeState<HEAD, GROUPS> state;
    state.clear();
    int tile = find_seen(split * warps + warp, bias, false);
    if (AHEAD && tile < tiles) load_keys(tile);
    if (STAGED) copy_async_commit();
    if (AHEAD && tile < tiles) load_values(tile);
    if (STAGED) copy_async_commit();
    while (tile < tiles) {
        int next = tile + step;
        u32 low_now = seen_low, high_now = seen_high;
        if (!AHEAD) load_keys(tile);
        if (next < tiles) upcoming.load(next, cells);
        if (STAGED) {
            copy_async_wait<1>(); // all but the values
            __syncwarp();
        }
        float scores[GROUPS][4] = {};
#pragma unroll
        for (int j = 0; j < K_CHUNKS; j++) {
            u32 a[4], b[4];
            if constexpr (STAGED) {
                key_bytes.halves(g, (4 * j + t) * 8, keys.size, a);
                key_bytes.halves(g + 8, (4 * j + t) * 8, keys.size, b);
            } else {
                key_tile.halves(0, j, a);
                key_tile.halves(1, j, b);
            }
#pragma unroll
            for (int n = 0; n < GROUPS; n++) {
                mma_16x8x16(scores[n], a[0], b[0], a[1], b[1], queries[n][j][0], queries[n][j][1]);
                mma_16x8x16(scores[n], a[2], b[2], a[3], b[3], queries[n][j][2], queries[n][j][3]);
            }
        }
        next = find_seen(next, upcoming, true);
        if (STAGED) __syncwarp(); // all have read the keys
        if (!AHEAD) load_values(tile);
        if (AHEAD && next < tiles) load_keys(next);
        if (STAGED) copy_async_commit();

        u32 weights[GROUPS][2];
#pragma unroll
        for (int n = 0; n < GROUPS; n++) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float s = scores[n][i], added = bias.added[n][i >> 1][i & 1];
                if (softcap != 0.f) s = capped_score(s, softcap);
                scores[n][i] = added == minus_infinity() ? added : s + added; // the key may be anything then
            }
            state.weigh(n, scores[n], weights[n][0], weights[n][1]);
        }

        if (STAGED) {
            copy_async_wait<1>(); // all but the keys of the next tile
            __syncwarp();
        }
        bool some_hidden = !all_seen(low_now) || !all_seen(high_now);
#pragma unroll
        for (int h = 0; h < V_CHUNKS; h++) {
            u32 x[4][4];
#pragma unroll
            for (int c = 0; c < 4; c++) {
                if constexpr (STAGED) value_bytes.halves(2 * t + (c & 1) + (c >> 1) * 8, h * 64 + g * 8, values.size, x[c]);
                else value_tile.halves(c, h, x[c]);
            }
            if (some_hidden) { // a weight of 0 does not cancel a value that is not a number
#pragma unroll
                for (int c = 0; c < 4; c++) {
                    if (!is_seen(low_now, high_now, c)) x[c][0] = x[c][1] = x[c][2] = x[c][3] = 0;
                }
            }
#pragma unroll
            for (int i = 0; i < 4; i++) {
                u32 a0 = __byte_perm(x[0][i], x[1][i], 0x5410), a1 = __byte_perm(x[0][i], x[1][i], 0x7632);
                u32 a2 = __byte_perm(x[2][i], x[3][i], 0x5410), a3 = __byte_perm(x[2][i], x[3][i], 0x7632);
#pragma unroll
                for (int n = 0; n < GROUPS; n++) mma_16x8x16(state.sums[n][h * 4 + i], a0, a1, a2, a3, weights[n][0], weights[n][1]);
            }
        }
        if (STAGED) __syncwarp(); // all have read the values
        if (AHEAD && next < tiles) load_values(next);
        if (STAGED) copy_async_commit();
        bias = upcoming;
        tile = next;
    }
    if (STAGED) {
        copy_async_wait<0>();
        __syncthreads(); // the memory of the tiles is used again
    }
    state.reduce((float *) decode_memory);
    if (warp == 0) store_rows<HEAD, GROUPS>(state, rows, out, sinks);
}

// Grid: kv heads * groups of rows, splits, batches; block: 1, 2, 4 or 8 warps. Dynamic shared memory: the larger of
// 8 * rows * warps + 4 * rows * HEAD * warps / 2 bytes and, for q8_0, 32 * row stride * warps (see SharedTile).
#define ATTENTION_DECODE(NAME, TYPE, HEAD, GROUPS) \
    KERNEL __launch_bounds__(256) attention_decode_##NAME(View q, View k, View v, View mask, const float *sinks, \
            float *result, float *partials, float *states, float scale, float max_bias, float softcap) { \
        attention_decode<TYPE, HEAD, GROUPS>(q, k, v, mask, sinks, result, partials, states, scale, max_bias, softcap); \
    }

#define ATTENTION_DECODE_TYPE(NAME, TYPE) \
    ATTENTION_DECODE(NAME##_h64_r8, TYPE, 64, 1) \
    ATTENTION_DECODE(NAME##_h64_r16, TYPE, 64, 2) \
    ATTENTION_DECODE(NAME##_h128_r8, TYPE, 128, 1) \
    ATTENTION_DECODE(NAME##_h128_r16, TYPE, 128, 2) \
    ATTENTION_DECODE(NAME##_h256_r8, TYPE, 256, 1)
