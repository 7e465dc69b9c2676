// Rows that only products of many tokens read, written as tensor cores read them: RMS norms times a weight, of a sum or of one
// operand, and gated linear units. Nothing is written as floats but the sum. All rows are f32, begin at multiples of 16 bytes
// and are a multiple of 256 elements long, so that every warp has whole blocks; a thread has eight elements at a time.
#include "dot_rounding.cuh"
#include "float_rows.cuh"
#include "glu.cuh"
#include "rows.cuh"

// How many times eight elements of a row a thread has at most: they stay in registers.
static const int KEPT = 4;

DEVICE void add_eight(float *v, const float *other) {
#pragma unroll
    for (int j = 0; j < 8; j++) v[j] += other[j];
}

// out = rms_norm(a) * w, or sum = a + b and out = rms_norm(sum) * w; a warp or a block has a row.
template <int ROUNDING, bool SUM>
DEVICE void norm_tokens(const View &a, const View &b, const View &sum, const View &w, u16 *out, float epsilon, int weights_ready) {
    pdl_launch_dependents();
    const i64 row = row_of_thread();
    if (row >= row_count(a)) return;
    const RowIndex index = row_index((u32) row, a);
    const int chunks = (int) (a.ne[0] / 8);
    const float *weights = (const float *) w.data;
    float scale[KEPT][8], v[KEPT][8];
    if (!weights_ready) pdl_wait();
#pragma unroll
    for (int i = 0; i < KEPT; i++) {
        const int chunk = i * blockDim.x + threadIdx.x;
        if (chunk < chunks) load_eight_floats(weights + chunk * 8, scale[i]);
    }
    if (weights_ready) pdl_wait();

    float squares = 0;
#pragma unroll
    for (int i = 0; i < KEPT; i++) {
        const int chunk = i * blockDim.x + threadIdx.x;
        if (chunk < chunks) {
            load_eight_floats((const float *) row_at(a, index) + chunk * 8, v[i]);
            if (SUM) {
                float other[8];
                load_eight_floats((const float *) row_at(b, index) + chunk * 8, other);
                add_eight(v[i], other);
                float4 *to = (float4 *) ((float *) row_at(sum, index) + chunk * 8);
                to[0] = make_float4(v[i][0], v[i][1], v[i][2], v[i][3]);
                to[1] = make_float4(v[i][4], v[i][5], v[i][6], v[i][7]);
            }
#pragma unroll
            for (int j = 0; j < 8; j++) squares += v[i][j] * v[i][j];
        }
    }
    const float factor = 1.f / sqrtf(row_sum(squares) / (float) a.ne[0] + epsilon);
#pragma unroll
    for (int i = 0; i < KEPT; i++) {
        const int chunk = i * blockDim.x + threadIdx.x;
        // Rows are whole warps of eights: a warp goes on as a whole or not at all.
        if (chunk < chunks) {
#pragma unroll
            for (int j = 0; j < 8; j++) v[i][j] = v[i][j] * factor * scale[i][j];
            store_token<ROUNDING>(out + row * a.ne[0] + chunk * 8, v[i], true);
        }
    }
}

// out = glu(gate, up); rows of both have the same indices.
template <int ROUNDING>
DEVICE void glu_tokens(int function, float alpha, float limit, const View &gate, const View &up, u16 *out) {
    pdl_launch_dependents();
    pdl_wait();
    const u32 chunks = (u32) (gate.ne[0] / 8), unit = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 row = unit / chunks, chunk = unit % chunks;
    if (row >= (u32) row_count(gate)) return;
    const RowIndex index = row_index(row, gate);
    float g[8], u[8];
    load_eight_floats((const float *) row_at(gate, index) + chunk * 8, g);
    load_eight_floats((const float *) row_at(up, index) + chunk * 8, u);
#pragma unroll
    for (int j = 0; j < 8; j++) g[j] = glu(function, g[j], u[j], alpha, limit);
    store_token<ROUNDING>(out + (i64) row * gate.ne[0] + chunk * 8, g, true);
}

#define KERNELS(name, rounding) \
    KERNEL rms_norm_mul_tokens_##name(View x, View w, u16 *out, float epsilon, int weights_ready) { \
        norm_tokens<rounding, false>(x, x, x, w, out, epsilon, weights_ready); \
    } \
    KERNEL add_rms_norm_mul_tokens_##name(View a, View b, View sum, View w, u16 *out, float epsilon, int weights_ready) { \
        norm_tokens<rounding, true>(a, b, sum, w, out, epsilon, weights_ready); \
    } \
    KERNEL glu_tokens_##name(int function, float alpha, float limit, View gate, View up, u16 *out) { \
        glu_tokens<rounding>(function, alpha, limit, gate, up, out); \
    }
KERNELS(f16, ROUND_F16)
KERNELS(bf16, ROUND_BF16)
KERNELS(32, ROUND_BLOCKS_OF_32)
KERNELS(256, ROUND_BLOCKS_OF_256)
