// What the attention kernels share: scores, masks, slopes, conversions, and the instructions of tensor cores before sm_90.
//
// Hot kernels compute scores in the base-2 logarithm: log2(e) is part of the factor that queries are multiplied by, and
// weights are 2^(score - max). A score of minus infinity marks a cell that a query does not see.
#pragma once
#include "common.cuh"

#define LOG2_E 1.4426950408889634f
#define METHOD __device__ __forceinline__

DEVICE float minus_infinity() { return __int_as_float(0xff800000); }

// 2^x, about 2 ulp; 0 for minus infinity.
DEVICE float exp2_fast(float x) { float y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }

// softcap * tanh(x) in the base-2 logarithm; the error is some 1e-7 of softcap.
DEVICE float capped_score(float x, float softcap) {
    return softcap * LOG2_E * (1.f - __fdividef(2.f, 1.f + exp2_fast(2.f * LOG2_E * x)));
}

// What scores are taken relative to: their maximum, or 0 where nothing is seen, so that all weights become 0 and not NaN.
DEVICE float score_base(float max) { return max == minus_infinity() ? 0.f : max; }

// The factor of the mask for a head (ALiBi); 1 without a bias.
DEVICE float alibi_slope(float max_bias, int head, int heads) {
    if (!(max_bias > 0.f)) return 1.f;
    int power = 1 << (31 - __clz(heads));
    return head < power ? exp2f(-max_bias / power * (head + 1)) : exp2f(-max_bias / 2.f / power * (2 * (head - power) + 1));
}

// The row of a mask for a query; masks repeat over heads and batches.
DEVICE const u16 *mask_row(const View &mask, int token, int head, int batch) {
    return (const u16 *) (mask.data + token * mask.nb[1] + (head % (int) mask.ne[2]) * mask.nb[2]
            + (batch % (int) mask.ne[3]) * mask.nb[3]);
}

DEVICE u32 pack_halves(float low, float high) {
    u32 r;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
    return r;
}

// To the range of f16; NaN stays NaN.
DEVICE float clamp_to_half(float x) { return x > 65504.f ? 65504.f : x < -65504.f ? -65504.f : x; }

DEVICE u32 clamped_halves(float low, float high) { return pack_halves(clamp_to_half(low), clamp_to_half(high)); }

DEVICE float low_bfloat(u32 pair) { return __uint_as_float(pair << 16); }
DEVICE float high_bfloat(u32 pair) { return __uint_as_float(pair & 0xffff0000u); }

// Four signed bytes times a scale (twice the same f16) as four f16 numbers, two in each result.
DEVICE void bytes_to_halves(u32 bytes, u32 scale, u32 &low, u32 &high) {
    // 0x64xx is 1024 + xx as f16; with the sign bit flipped, xx is the byte plus 128.
    u32 biased = bytes ^ 0x80808080u;
    low = __byte_perm(biased, 0x64646464u, 0x4140);
    high = __byte_perm(biased, 0x64646464u, 0x4342);
    asm("sub.f16x2 %0, %0, %1;" : "+r"(low) : "r"(0x64806480u));
    asm("sub.f16x2 %0, %0, %1;" : "+r"(high) : "r"(0x64806480u));
    asm("mul.f16x2 %0, %0, %1;" : "+r"(low) : "r"(scale));
    asm("mul.f16x2 %0, %0, %1;" : "+r"(high) : "r"(scale));
}

DEVICE u32 shared_address(const void *p) { return (u32) __cvta_generic_to_shared(p); }

// c += a * b for a 16 x 16 matrix a and a 16 x 8 matrix b. With g = lane / 4 and t = lane % 4 a thread has
//   a0: row g,     columns 2t, 2t + 1      b0: rows 2t, 2t + 1 of column g     c0, c1: row g,     columns 2t, 2t + 1
//   a1: row g + 8, columns 2t, 2t + 1      b1: rows 2t + 8, 2t + 9             c2, c3: row g + 8, columns 2t, 2t + 1
//   a2, a3: as a0 and a1, 8 columns further
DEVICE void mma_16x8x16(float (&c)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// Four 8 x 8 matrices of f16 in shared memory; the threads of a warp give the addresses of their 32 rows. A thread gets of
// each matrix two neighbours of row lane / 4, or of column lane / 4 where they are transposed.
DEVICE void load_matrices(u32 address, u32 (&r)[4]) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
            : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address) : "memory");
}
DEVICE void load_transposed_matrices(u32 address, u32 (&r)[4]) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
            : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address) : "memory");
}

// Copies to shared memory that are waited for in groups.
DEVICE void copy_async_16(u32 target, const void *source, bool is_there) {
    int bytes = is_there ? 16 : 0; // what is not there becomes zeros
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(source), "r"(bytes) : "memory");
}
DEVICE void copy_async_8(u32 target, const void *source) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(target), "l"(source) : "memory");
}
DEVICE void copy_async_4(u32 target, const void *source) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(source) : "memory");
}
DEVICE void copy_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int PENDING> DEVICE void copy_async_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

// Where results go. Without splits: result = sum / weight. With splits: each split stores its sums, not divided, and
// {max, weight} for each row; attention_combine adds them up. Rows are numbered as the result has them:
// row = (batch * tokens + token) * heads + head.
struct AttentionOutput {
    float *result;   // [rows][size]
    float *partials; // [rows][splits][size]
    float *states;   // [rows][splits][2]
    int splits;
    int split;
    int size;
};

DEVICE float *output_row(const AttentionOutput &out, i64 row) {
    return out.splits == 1 ? out.result + row * out.size : out.partials + (row * out.splits + out.split) * out.size;
}

// What the sums of a row are multiplied by in the end; adds the sink of the head, which has a weight but no value.
DEVICE float final_factor(float max, float weight, const float *sinks, int head) {
    if (sinks) {
        float sink = sinks[head] * LOG2_E;
        float larger = score_base(fmaxf(max, sink));
        float rescale = exp2_fast(max - larger);
        weight = weight * rescale + exp2_fast(sink - larger);
        return weight > 0.f ? rescale / weight : 0.f;
    }
    return weight > 0.f ? 1.f / weight : 0.f;
}

// What attention_classify_mask says about a tile.
DEVICE int seen_cells(u16 kind) { return kind & 0x7fff; }
DEVICE bool is_mixed(u16 kind) { return kind >> 15; }

// The row of the classes for a tile of tokens.
DEVICE const u16 *mask_classes(const u16 *classes, const View &mask, int head, int batch, int token_tile, int token_tiles, int cell_tiles) {
    i64 row = (i64) (batch % (int) mask.ne[3]) * mask.ne[2] + head % (int) mask.ne[2];
    return classes + (row * token_tiles + token_tile) * cell_tiles;
}

// What the mask adds to a score; cells from the last on are not seen.
DEVICE float mask_bias(const u16 *mask, int cell, int cells, float slope) {
    if (cell >= cells) return minus_infinity();
    return mask ? half_to_float(mask[cell]) * slope : 0.f;
}
