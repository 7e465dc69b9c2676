// Rows of f32, f16 or bf16 rounded as weights of some format ask for (see dot_rounding.cuh): as f16 for the tensor cores, or
// as f32 for products of few tokens. One thread rounds eight elements; rows are whole blocks.
#include "dot_rounding.cuh"
#include "float_rows.cuh"

template <int BLOCK> DEVICE void store_eight(u16 *out, float *v, bool is_stored) { store_token<BLOCK>(out, v, is_stored); }
template <int BLOCK> DEVICE void store_eight(float *out, float *v, bool is_stored) {
    round_to_eight_bits<BLOCK>(v);
    if (is_stored) {
        *(float4 *) out = make_float4(v[0], v[1], v[2], v[3]);
        *(float4 *) (out + 4) = make_float4(v[4], v[5], v[6], v[7]);
    }
}

// `count` rows of `length` elements without gaps: those of the tensor, counted over dimensions 1 to 3, or those that a list
// of pairs names (see group_pairs.cu; -1 is no pair, whose row is zero).
template <int BLOCK, typename Out>
DEVICE void round_rows(const View &rows, int type, const int *pairs, u32 used, u32 count, Out *out, u32 length) {
    pdl_launch_dependents();
    pdl_wait();
    const u32 chunks = length / 8;
    const u32 unit = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 row = unit / chunks, k = unit % chunks * 8;
    // Threads after the last row stay for the exchange with their neighbours.
    const bool is_row = row < count;
    u32 i1, i2, i3 = 0;
    bool is_read = is_row;
    const u32 ne1 = (u32) rows.ne[1], ne2 = (u32) rows.ne[2];
    if (pairs) {
        const int pair = is_row ? pairs[row] : -1;
        is_read = pair >= 0;
        i1 = (u32) pair % used % ne1, i2 = (u32) pair / used;
    } else {
        i1 = row % ne1, i2 = row / ne1 % ne2, i3 = row / ne1 / ne2;
    }
    float v[8] = {};
    if (is_read) Factor(rows, type).load(rows.data + i1 * rows.nb[1] + i2 * rows.nb[2] + i3 * rows.nb[3], k, v);
    store_eight<BLOCK>(out + (i64) row * length + k, v, is_row);
}

#define KERNELS(block) \
    KERNEL round_half_##block(View rows, int type, const int *pairs, unsigned used, unsigned count, u16 *out, \
            unsigned length) { \
        round_rows<block>(rows, type, pairs, used, count, out, length); \
    } \
    KERNEL round_float_##block(View rows, int type, const int *pairs, unsigned used, unsigned count, float *out, \
            unsigned length) { \
        round_rows<block>(rows, type, pairs, used, count, out, length); \
    }
KERNELS(32)
KERNELS(256)
