// What attention needs of a token, in one launch: queries rotated in place of ROPE, keys rotated and stored in their
// table, values stored in theirs.
//
//   block (token, row):   query heads | key heads | parts of the values
#include "rope.cuh"

// Values of a token that a block stores.
#define VALUES_PER_BLOCK 128

DEVICE void rotate_row(
        const u8 *from, u8 *to, int to_size, int elements, const Rope &rope, const u8 *positions, i64 position_stride,
        i64 tokens, const u8 *factors, i64 factor_stride, int factors_ready) {
    const int apart = rope.mode == MODE_NORMAL ? 1 : rope.pairs;
    for (int item = threadIdx.x; item < elements - rope.pairs; item += blockDim.x) {
        const float *x = (const float *) from;
        const int first = first_of(rope, item);
        if (item < rope.pairs) {
            Rotation turn = rotation_at(rope, item, positions, position_stride, blockIdx.x, tokens, factors, factor_stride,
                                        factors_ready);
            float re = x[first], im = x[first + apart];
            float a = re * turn.cos - im * turn.sin, b = re * turn.sin + im * turn.cos;
            if (to_size == 4) {
                ((float *) to)[first] = a;
                ((float *) to)[first + apart] = b;
            } else {
                ((u16 *) to)[first] = float_to_half(a);
                ((u16 *) to)[first + apart] = float_to_half(b);
            }
        } else {
            pdl_wait();
            if (to_size == 4) ((float *) to)[first] = x[first];
            else ((u16 *) to)[first] = float_to_half(x[first]);
        }
    }
}

// The row of a table that a token goes to; none if the table does not have it.
template <typename INDEX> DEVICE u8 *row_of(const View &table, const u8 *cells, i64 cell_stride) {
    i64 row = (i64) *(const INDEX *) (cells + (i64) blockIdx.x * cell_stride);
    return row < 0 || row >= table.ne[1] ? 0 : table.data + row * table.nb[1];
}

template <typename INDEX, int SIZE>
DEVICE void store_token(
        const View &q, const View &rotated, const View &k, const View &keys, const u8 *key_cells, i64 key_stride,
        const View &v, const View &values, const u8 *value_cells, i64 value_stride, const Rope &rope, const u8 *positions,
        i64 position_stride, const u8 *factors, i64 factor_stride, int factors_ready) {
    pdl_launch_dependents();
    const i64 token = blockIdx.x;
    const int row = blockIdx.y, heads = (int) q.ne[1], key_heads = (int) k.ne[1];
    if (row < heads) {
        rotate_row(q.data + row * q.nb[1] + token * q.nb[2], rotated.data + row * rotated.nb[1] + token * rotated.nb[2], 4,
                   (int) q.ne[0], rope, positions, position_stride, q.ne[2], factors, factor_stride, factors_ready);
    } else if (row < heads + key_heads) {
        const int head = row - heads;
        // The cells are inputs that launches before this one do not write, but copies before it may.
        pdl_wait();
        u8 *to = row_of<INDEX>(keys, key_cells, key_stride);
        if (to) {
            rotate_row(k.data + head * k.nb[1] + token * k.nb[2], to + head * k.ne[0] * SIZE, SIZE, (int) k.ne[0], rope,
                       positions, position_stride, k.ne[2], factors, factor_stride, factors_ready);
        }
    } else {
        pdl_wait();
        u8 *to = row_of<INDEX>(values, value_cells, value_stride);
        const int first = (row - heads - key_heads) * VALUES_PER_BLOCK;
        for (int i = first + threadIdx.x; to && i < first + VALUES_PER_BLOCK && i < v.ne[0]; i += blockDim.x) {
            float value = *(const float *) (v.data + i * 4 + token * v.nb[1]);
            if (SIZE == 4) ((float *) to)[i] = value;
            else ((u16 *) to)[i] = float_to_half(value);
        }
    }
}

#define ROPE_CACHE_KERNEL(name, SIZE, INDEX) \
    KERNEL name(View q, View rotated, View k, View keys, const u8 *key_cells, i64 key_stride, View v, View values, \
                const u8 *value_cells, i64 value_stride, ROPE_PARAMETERS) { \
        const Rope rope = ROPE_OF_PARAMETERS; \
        store_token<INDEX, SIZE>(q, rotated, k, keys, key_cells, key_stride, v, values, value_cells, value_stride, rope, \
                                 positions, position_stride, factors, factor_stride, factors_ready); \
    }

ROPE_CACHE_KERNEL(rope_cache_f16_i64, 2, i64)
ROPE_CACHE_KERNEL(rope_cache_f16_i32, 2, int)
ROPE_CACHE_KERNEL(rope_cache_f32_i64, 4, i64)
ROPE_CACHE_KERNEL(rope_cache_f32_i32, 4, int)
