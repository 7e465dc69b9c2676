// Rotary positions: pairs of elements of a row, taken as complex numbers, times magnitude * e^(+-i angle).
//
//   NORMAL            offset | x0 y0 x1 y1 x2 y2 ... | rest
//   NEOX and others   offset | x0 x1 x2 ... y0 y1 y2 ... | rest
//
// The angle of a pair is position * frequency. It grows to 10^6 and beyond, where f32 has no digits left after the
// point, so it is computed in f64 as a number of half turns, of which whole turns are taken off before it becomes f32.
// All of the frequency that needs no tensor is computed before the kernel waits for the one before it.
#pragma once
#include "rows.cuh"

// ggml's numbers of the modes.
enum Mode { MODE_NORMAL = 0, MODE_NEOX = 2, MODE_MROPE = 8, MODE_VISION = 24, MODE_IMROPE = 40 };

struct Rope {
    int mode;
    int pairs;
    int offset;
    int time, height, width, extra; // the sections: how many pairs each axis of a position has
    double log_step;                // log2 of the ratio of the frequencies of neighbouring pairs
    float scale;
    float extension;                // of YaRN, 0 if off
    float low, high;                // the pairs between which YaRN goes from not scaled to scaled
    float magnitude;
    float direction;                // -1 for the inverse
};

// Which of the four positions of a token turns a pair.
DEVICE int axis_of(const Rope &rope, int sector) {
    if (rope.mode == MODE_IMROPE) {
        int axis = sector % 3;
        int own = axis == 0 ? rope.time : axis == 1 ? rope.height : rope.width;
        return sector < 3 * own ? axis : 3;
    }
    int height = rope.time, width = height + rope.height, extra = width + rope.width;
    return sector < height ? 0 : sector < width ? 1 : sector < extra ? 2 : 3;
}

// The exponent of a pair. For images the frequencies of an axis begin anew with its section; where sections begin
// together, because those between are empty, only the first one's do.
DEVICE int exponent_of(const Rope &rope, int pair, int sector, int axis) {
    if (rope.mode != MODE_VISION || axis == 0) return rope.mode == MODE_VISION ? sector : pair;
    int before = axis == 1 ? rope.time : axis == 2 ? rope.height : rope.width;
    int start = rope.time + (axis > 1 ? rope.height : 0) + (axis > 2 ? rope.width : 0);
    return before > 0 ? sector - start : pair;
}

// Half turns per position, before the frequency factor divides them.
DEVICE double frequency_of(const Rope &rope, int pair, int exponent) {
    const double half_turns_per_radian = 0.31830988618379067154;
    double stretch = rope.scale;
    if (rope.extension != 0.f) {
        double span = (double) rope.high - (double) rope.low;
        double ramp = ((double) pair - (double) rope.low) / (span > 0.001 ? span : 0.001);
        double mix = (1. - (ramp < 0. ? 0. : ramp > 1. ? 1. : ramp)) * (double) rope.extension;
        stretch = stretch * (1. - mix) + mix;
    }
    return exp2(rope.log_step * (double) exponent) * stretch * half_turns_per_radian;
}

struct Rotation {
    float cos, sin;
};

DEVICE Rotation rotation_of(const Rope &rope, double half_turns) {
    Rotation r;
    float rest = (float) (half_turns - 2. * rint(0.5 * half_turns));
    sincospif(rest, &r.sin, &r.cos);
    r.cos *= rope.magnitude;
    r.sin *= rope.magnitude * rope.direction;
    return r;
}

// The angle of a pair for a token. The positions of axis a are those from a * tokens on. Waits for the kernel before.
DEVICE Rotation rotation_at(
        const Rope &rope, int pair, const u8 *positions, i64 position_stride, i64 token, i64 tokens,
        const u8 *factors, i64 factor_stride, int factors_ready) {
    int sector = rope.mode & MODE_MROPE ? pair % (rope.time + rope.height + rope.width + rope.extra) : pair;
    int axis = rope.mode & MODE_MROPE ? axis_of(rope, sector) : 0;
    double frequency = frequency_of(rope, pair, exponent_of(rope, pair, sector, axis));
    if (factors && factors_ready) frequency /= (double) load<float>(factors + pair * factor_stride);
    pdl_wait();
    if (factors && !factors_ready) frequency /= (double) load<float>(factors + pair * factor_stride);
    int position = *(const int *) (positions + (token + axis * tokens) * position_stride);
    return rotation_of(rope, (double) position * frequency);
}

// Where the elements of pair `item` are in a row; items from `pairs` on are the elements that are not rotated.
DEVICE int first_of(const Rope &rope, int item) {
    if (item < rope.pairs) return rope.offset + (rope.mode == MODE_NORMAL ? 2 * item : item);
    int other = item - rope.pairs;
    return other < rope.offset ? other : other + 2 * rope.pairs;
}

#define ROPE_PARAMETERS \
    const u8 *positions, i64 position_stride, const u8 *factors, i64 factor_stride, int factors_ready, int mode, \
    int pairs, int offset, int time, int height, int width, int extra, i64 log_step, float scale, float extension, \
    float low, float high, float magnitude, float direction
#define ROPE_OF_PARAMETERS \
    { mode, pairs, offset, time, height, width, extra, __longlong_as_double(log_step), scale, extension, low, high, \
      magnitude, direction }
