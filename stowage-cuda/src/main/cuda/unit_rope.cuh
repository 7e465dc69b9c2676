// What becomes of the products for attention: queries are rotated, keys rotated and stored in their table, values stored in
// theirs, so that no launch is needed between these products and attention. Pairs of elements that are rotated together are
// neighbours (MODE_NORMAL), and rows of one group.
#pragma once
#include "rope.cuh"
#include "unit_gemv.cuh"

DEVICE i64 load_long(const void *p) {
    i64 v;
    asm volatile("ld.global.cg.s64 %0, [%1];" : "=l"(v) : "l"(p));
    return v;
}

// A table of f16 rows, and the number of the row that a token goes to.
struct TokenTable {
    u8 *data;
    i64 bytes, rows;
    const u8 *number;

    // The place of an element of that row; null if the table has no such row.
    METHOD u8 *at(int element, bool wide) const {
        i64 row = wide ? load_long(number) : load_int((const int *) number);
        return row < 0 || row >= rows ? nullptr : data + row * bytes + element * 2;
    }
};

// The tail of unit_gemv. Frequencies are computed before the launch before has ended, angles while units are copied.
struct RopeTail {
    static const bool IS_THERE = true;
    Rope rope;
    const u8 *position, *factors;
    i64 factor_stride;
    // Elements of a head, and what the first matrix gives: 0 queries, 1 keys, 2 values.
    int head, first;
    bool wide;
    TokenTable keys, values;
    float *queries;

    double frequency;
    Rotation rotation;
    u8 *to;
    bool turns;

    METHOD void prepare(const GemvItem &item) {
        int element = item.row % head, pair = element >> 1;
        turns = item.m + first < 2 && pair < rope.pairs;
        if (!turns) return;
        frequency = frequency_of(rope, pair, pair);
        if (factors) frequency /= (double) load<float>(factors + pair * factor_stride);
    }
    METHOD void begin(const GemvItem &item) {
        // The position is not used before activations are there too.
        if (turns) frequency *= (double) load_int((const int *) position);
        int role = item.m + first;
        to = nullptr;
        if (!item.valid) return;
        if (role == 0) to = (u8 *) (queries + item.row);
        else if (role == 1) to = keys.at(item.row, wide);
        else to = values.at(item.row, wide);
    }
    METHOD void compute() {
        rotation = Rotation{1.f, 0.f};
        if (turns) rotation = rotation_of(rope, frequency);
    }
    METHOD void finish(const GemvItem &item, float value) {
        float other = __shfl_xor_sync(0xffffffffu, value, 1);
        float rotated = item.row & 1 ? other * rotation.sin + value * rotation.cos : value * rotation.cos - other * rotation.sin;
        if (!to) return;
        if (item.m + first == 0) *(float *) to = rotated;
        else *(u16 *) to = float_to_half(rotated);
    }
};

#define UNIT_ROPE_PARAMETERS                                                                                               \
    int head, u8 *keys, i64 keyBytes, i64 keyRows, const u8 *keyRow, u8 *values, i64 valueBytes, i64 valueRows,            \
            const u8 *valueRow, int wide, ROPE_PARAMETERS
#define UNIT_ROPE_TAIL(first)                                                                                              \
    RopeTail {                                                                                                             \
        ROPE_OF_PARAMETERS, positions, factors, factor_stride, head, first, wide != 0, {keys, keyBytes, keyRows, keyRow},  \
                {values, valueBytes, valueRows, valueRow}, out0                                                            \
    }
