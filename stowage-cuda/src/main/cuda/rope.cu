// ROPE and ROPE_BACK, and ROPE whose result goes straight to the rows of a cache.
#include "rope.cuh"

// Block (token, part of the rows of the token): threadIdx.x runs over the items of a row, threadIdx.y over rows, which
// are the heads of all batches. to(head, batch) is the first byte of a row of the result.
template <typename T, typename R, typename Target>
DEVICE void rope_rows(
        const View &x, const Rope &rope, const u8 *positions, i64 position_stride, const u8 *factors,
        i64 factor_stride, int factors_ready, i64 to_stride, Target target) {
    pdl_launch_dependents();
    const i64 token = blockIdx.x;
    const u32 heads = (u32) x.ne[1];
    const u32 rows = heads * (u32) x.ne[3];
    const int items = (int) x.ne[0] - rope.pairs;
    const int apart = rope.mode == MODE_NORMAL ? 1 : rope.pairs;
    for (int item = threadIdx.x; item < items; item += blockDim.x) {
        Rotation turn = {1.f, 0.f};
        if (item < rope.pairs) {
            turn = rotation_at(rope, item, positions, position_stride, token, x.ne[2], factors, factor_stride,
                               factors_ready);
        } else {
            pdl_wait();
        }
        const i64 first = first_of(rope, item);
        const i64 second = first + apart;
        for (u32 row = blockIdx.y * blockDim.y + threadIdx.y; row < rows; row += gridDim.y * blockDim.y) {
            u32 batch = row / heads, head = row - batch * heads;
            const u8 *from = x.data + (i64) head * x.nb[1] + token * x.nb[2] + (i64) batch * x.nb[3];
            u8 *to = target(head, batch);
            if (to == 0) continue;
            if (item < rope.pairs) {
                float re = load<T>(from + first * x.nb[0]), im = load<T>(from + second * x.nb[0]);
                store<R>(to + first * to_stride, re * turn.cos - im * turn.sin);
                store<R>(to + second * to_stride, re * turn.sin + im * turn.cos);
            } else {
                store<R>(to + first * to_stride, load<T>(from + first * x.nb[0]));
            }
        }
    }
}

#define ROPE_KERNEL(name, type) \
    KERNEL name(View x, View y, ROPE_PARAMETERS) { \
        const Rope rope = ROPE_OF_PARAMETERS; \
        auto target = [&](u32 head, u32 batch) { \
            return y.data + (i64) head * y.nb[1] + (i64) blockIdx.x * y.nb[2] + (i64) batch * y.nb[3]; \
        }; \
        rope_rows<type, type>(x, rope, positions, position_stride, factors, factor_stride, factors_ready, y.nb[0], \
                              target); \
    }

ROPE_KERNEL(rope_f32, float)
ROPE_KERNEL(rope_f16, f16)
ROPE_KERNEL(rope_bf16, bf16)

// The heads of a token, next to each other, are row cells[token] of the table. A row that the table does not have is
// not written.
#define ROPE_SET_ROWS_KERNEL(name, result, index) \
    KERNEL name(View x, View table, const u8 *cells, i64 cell_stride, ROPE_PARAMETERS) { \
        const Rope rope = ROPE_OF_PARAMETERS; \
        auto target = [&](u32 head, u32) -> u8 * { \
            i64 row = (i64) *(const index *) (cells + (i64) blockIdx.x * cell_stride); \
            if (row < 0 || row >= table.ne[1]) return 0; \
            return table.data + row * table.nb[1] + (i64) head * x.ne[0] * (i64) sizeof(result); \
        }; \
        rope_rows<float, result>(x, rope, positions, position_stride, factors, factor_stride, factors_ready, \
                                 (i64) sizeof(result), target); \
    }

ROPE_SET_ROWS_KERNEL(rope_set_rows_f32_i32, float, int)
ROPE_SET_ROWS_KERNEL(rope_set_rows_f32_i64, float, i64)
ROPE_SET_ROWS_KERNEL(rope_set_rows_f16_i32, f16, int)
ROPE_SET_ROWS_KERNEL(rope_set_rows_f16_i64, f16, i64)
