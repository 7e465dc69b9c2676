// Products of quantised units with 5 to 64 tokens on sm_90, by wgmma. Operands of products that are under way must not be
// written: they are computed into registers of their own, and not those that weights are loaded into.
//
// A block has GROUPS warpgroups of 64 rows, and a part of k; the blocks of a cluster have the same rows and the other
// parts. All goes in chunks of STEPS x 128 weights of each row:
//
//     weights  global ──► registers, a chunk ahead ──► halves in registers ─┐
//     tokens   packed ──► ring of STAGES chunks in shared memory ───────────┴─► m64nTOKENSk16 ──► sums in registers
//
// No other warp needs the weights of a warp, so that they never are in shared memory; tokens are copied there by the copy
// engine, for all warps. At the end every block leaves its sums in its shared memory, and each block of the cluster adds
// up, in the order of the parts, and stores a share of the results.
//
// Tokens are packed as wgmma reads them (unit_activations.cu): for every 16 of k two columns of matrices of 8 tokens x 8
// numbers, 128 bytes each.
#pragma once
#include "clusters.cuh"
#include "unit_mm.cuh"
#include "wgmma_registers.cuh"

DEVICE void barrier_arrive(u32 barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
// Tokens are read by all blocks.
DEVICE u64 keep_policy() {
    u64 policy;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

// The two rows of a thread, 8 apart: where their groups of 4 rows are, and which of the 4 they are.
struct RowPair {
    const u8 *group[2];
    int r[2];
};

// The weights of a chunk that a thread has, as they are loaded: 32 of each row and step.
template <int TYPE, int STEPS> struct ChunkWeights {
    typedef UnitFormat<TYPE> F;
    // Lanes of a unit that 32 weights take.
    static const int LANES = 32 / F::LANE_WEIGHTS;
    UnitFragment<TYPE> f[STEPS][2];

    // Loads step i of a chunk in units of 32 lanes.
    METHOD void load(int i, const RowPair &rows, int chunk) {
        int first = chunk * STEPS * 4 * LANES, unit = first / UNIT_LANES, lane = first % UNIT_LANES + (threadIdx.x & 3) * LANES;
        const int ahead = i * 4 * LANES;
#pragma unroll
        for (int h = 0; h < 2; h++)
            f[i][h].load(rows.group[h] + (i64) (unit + ahead / UNIT_LANES) * F::BYTES, UNIT_LANES, lane + ahead % UNIT_LANES, rows.r[h]);
    }
    // The same where some or all of its units have fewer lanes, or are past the end of the row.
    METHOD void load_last(int i, const RowPair &rows, int chunk, const UnitRow &shape) {
#pragma unroll
        for (int h = 0; h < 2; h++)
            load_fragment<TYPE>(f[i][h], rows.group[h], shape, (chunk * STEPS + i) * 4 + (threadIdx.x & 3), rows.r[h]);
    }
    // Half of a step, words 2 j and 2 j + 1, as operands of four instructions.
    METHOD void operands(int i, int half, u32 *to) const {
#pragma unroll
        for (int j = 0; j < 2; j++) {
            u32 a[4], b[4];
            f[i][0].pairs(2 * half + j, a);
            f[i][1].pairs(2 * half + j, b);
#pragma unroll
            for (int n = 0; n < 4; n++) {
                to[8 * j + 2 * n] = a[n];
                to[8 * j + 2 * n + 1] = b[n];
            }
        }
    }
};

// What becomes of the sums of four rows of a token.
DEVICE void finish_rows(const UnitMm &p, int matrix, int row, int token, float4 sums, float4 ups) {
    float value[4] = {sums.x, sums.y, sums.z, sums.w}, up[4] = {ups.x, ups.y, ups.z, ups.w}, factor = p.factors[token];
    int rows = select4(p.rows, matrix), there = min(4, rows - row);
    const float *bias = select4(p.bias, matrix);
    i64 at = (i64) token * rows + row;
    float *out = select4(p.out, matrix) + at;
    bool aligned = there == 4 && (((u64) out | (u64) (p.residual + at)) & 15) == 0;
    float4 residual = make_float4(0.f, 0.f, 0.f, 0.f);
    if (p.residual && aligned) residual = load_float4(p.residual + at);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if (i >= there) continue;
        value[i] = value[i] * factor + (bias ? bias[row + i] : 0.f);
        if (p.glu) value[i] = glu(p.glu, value[i], up[i] * factor + (p.bias[1] ? p.bias[1][row + i] : 0.f));
        if (p.residual && !aligned) value[i] += load_float(p.residual + at + i);
        if (!aligned) out[i] = value[i];
    }
    if (aligned)
        *(float4 *) out = make_float4(
                value[0] + residual.x, value[1] + residual.y, value[2] + residual.z, value[3] + residual.w);
}

// Adds up the sums of all blocks of the cluster, and stores this block's share. sums[token][row], rows PITCH apart.
template <int ROWS, int PITCH, int THREADS>
DEVICE void finish_tile(const UnitMm &p, const TileRows &tile, const float *sums, int part, int parts) {
    int perToken = (p.glu ? ROWS / 2 : ROWS) / 4, rows = select4(p.rows, tile.matrix);
    for (int i = part * THREADS + threadIdx.x; i < perToken * p.tokens; i += parts * THREADS) {
        int token = i / perToken, local = (i - token * perToken) * 4, row = tile.first + local;
        if (row >= rows) continue;
        // In a gated unit, 16 rows of the one matrix and 16 of the other alternate.
        const float4 *at = (const float4 *) (sums + token * PITCH + (p.glu ? (local & ~15) + local : local));
        float4 value = make_float4(0.f, 0.f, 0.f, 0.f), up = value;
#pragma unroll
        for (int from = 0; from < 8; from++) {
            if (from >= parts) continue;
            float4 v = load_remote(at, from);
            value = make_float4(value.x + v.x, value.y + v.y, value.z + v.z, value.w + v.w);
            if (p.glu) {
                float4 u = load_remote(at + 4, from);
                up = make_float4(up.x + u.x, up.y + u.y, up.z + u.z, up.w + u.w);
            }
        }
        finish_rows(p, tile.matrix, row, token, value, up);
    }
}

template <int TYPE, int TOKENS, int GROUPS, int STEPS, int STAGES> DEVICE void unit_mm_clusters(const UnitMm &p, u8 *memory) {
    const int WARPS = 4 * GROUPS, ROWS = 64 * GROUPS, THREADS = 32 * WARPS, PITCH = ROWS + 4;
    const int STEP_BYTES = TOKENS * 256, STAGE_BYTES = STEPS * STEP_BYTES;
    __shared__ __align__(8) u64 barriers[2 * STAGES];
    pdl_launch_dependents();
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, quad = lane >> 2, t = lane & 3;
    int parts = (int) cluster_blocks(), part = (int) cluster_rank();

    TileRows tile(p, blockIdx.x / parts, ROWS);
    UnitRow shape = unit_row<TYPE>(p.k);
    RowPair rows;
    {
        // Of a gated unit, warps have rows of both matrices in turn. Rows past the last are computed as the last.
        int matrix = p.glu ? warp & 1 : tile.matrix, last = select4(p.rows, matrix) - 1;
        int first = tile.first + 16 * (p.glu ? warp >> 1 : warp) + quad;
#pragma unroll
        for (int h = 0; h < 2; h++) {
            int row = min(first + 8 * h, last);
            rows.group[h] = select4(p.w, matrix) + (row >> 2) * shape.bytes;
            rows.r[h] = row & 3;
        }
    }
    // The chunks of this block, and how many are in units of 32 lanes.
    int chunks = (p.k + STEPS * 128 - 1) / (STEPS * 128), begin = chunks * part / parts, end = chunks * (part + 1) / parts;
    int whole = shape.full * UnitFormat<TYPE>::STEP / (STEPS * 128);
    ChunkWeights<TYPE, STEPS> weights;
#pragma unroll
    for (int i = 0; i < STEPS; i++) {
        if (begin < whole) weights.load(i, rows, begin);
        else weights.load_last(i, rows, begin, shape);
    }
    u32 full = shared_address(barriers), empty = full + 8 * STAGES, ring = shared_address(memory);
    if (threadIdx.x < STAGES) {
        barrier_init(full + threadIdx.x * 8, 1);
        barrier_init(empty + threadIdx.x * 8, WARPS);
    }
    barrier_init_fence();
    __syncthreads();
    pdl_wait();
    const u8 *tokens = (const u8 *) p.packed;
    u64 policy = keep_policy();
    auto fill = [&](int chunk, int stage) {
        barrier_expect(full + stage * 8, STAGE_BYTES);
        bulk_copy(ring + stage * STAGE_BYTES, tokens + (i64) chunk * STAGE_BYTES, STAGE_BYTES, full + stage * 8, policy);
    };
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES && begin + i < end; i++) fill(begin + i, i);

    float sums[TOKENS / 2];
#pragma unroll
    for (int i = 0; i < TOKENS / 2; i++) sums[i] = 0.f;
    u32 operands[2][16];
    int stage = 0, parity = 0, before = 0, beforeParity = 0;
#pragma unroll 1
    for (int chunk = begin; chunk < end; chunk++) {
        barrier_wait(full + stage * 8, parity);
        u64 matrix = core_matrices(ring + stage * STAGE_BYTES, TOKENS * 16);
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            weights.f[i][0].prepare(rows.r[0]);
            weights.f[i][1].prepare(rows.r[1]);
#pragma unroll
            for (int half = 0; half < 2; half++) {
                // What was multiplied with these registers the time before is done: at most one group is under way.
                weights.operands(i, half, operands[half]);
                wgmma_fence();
#pragma unroll
                for (int n = 0; n < 4; n++)
                    wgmma_registers(
                            sums, operands[half] + 4 * n, matrix + (i * 8 + half * 4 + n) * (TOKENS * 32 >> 4));
                wgmma_commit();
                wgmma_wait<1>();
            }
            if (chunk + 1 < whole) {
                if (chunk + 1 < end) weights.load(i, rows, chunk + 1);
            } else if (chunk + 1 < end) {
                weights.load_last(i, rows, chunk + 1, shape);
            }
            // All products of the chunk before are done; when all warps say so, its stage is filled again.
            if (i == 0 && chunk > begin && lane == 0) barrier_arrive(empty + before * 8);
            if (i == (STEPS > 1 ? 1 : 0) && chunk > begin) {
                if (threadIdx.x == 0 && chunk - 1 + STAGES < end) {
                    barrier_wait(empty + before * 8, beforeParity);
                    fill(chunk - 1 + STAGES, before);
                }
                __syncwarp();
                before = stage;
                beforeParity = parity;
            }
        }
        if (chunk == begin) {
            before = stage;
            beforeParity = parity;
        }
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
    wgmma_wait<0>();
#pragma unroll
    for (int i = 0; i < TOKENS / 2; i++) asm volatile("" : "+f"(sums[i])::"memory");
    __syncthreads();
    // A thread has rows quad, quad + 8 of tokens 2 t, 2 t + 1 of every 8.
    float *shared = (float *) memory;
#pragma unroll
    for (int n = 0; n < TOKENS / 8; n++) {
        float *to = shared + (n * 8 + t * 2) * PITCH + warp * 16 + quad;
        to[0] = sums[4 * n];
        to[PITCH] = sums[4 * n + 1];
        to[8] = sums[4 * n + 2];
        to[PITCH + 8] = sums[4 * n + 3];
    }
    if (parts > 1) cluster_sync();
    else __syncthreads();
    finish_tile<ROWS, PITCH, THREADS>(p, tile, shared, part, parts);
    // Nobody leaves while another block reads its sums.
    if (parts > 1) cluster_sync();
}
