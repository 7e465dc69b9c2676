// Rows brought to mean 0, length 1 or both: NORM, RMS_NORM, L2_NORM, GROUP_NORM, and RMS_NORM fused with the addition
// before it and the multiplication after it.
#include "rows.cuh"

enum NormKind { NORM_RMS, NORM_CENTRED, NORM_L2 };

// How many groups of elements a thread keeps in registers; those of longer rows are read once more from memory.
static const int KEPT = 4;

// What the sum of squares makes of a row: each element is multiplied with it.
template <int KIND> DEVICE float norm_factor(float squares, i64 n, float epsilon) {
    if (KIND == NORM_L2) {
        float length = sqrtf(squares);
        return 1.f / (length > epsilon ? length : epsilon);
    }
    return 1.f / sqrtf(squares / (float) n + epsilon);
}

// Normalises one row of n elements in groups of WIDTH. A thread has groups threadIdx.x, + blockDim.x, ... and touches
// no others, so that the result may be stored over the operand.
//   first(group, values): reads a group for the first time; again(group, values): any later time
//   put(k, group, values): writes a group, the k-th of this thread, which is KEPT for all that are not kept
template <int WIDTH, int KIND, typename First, typename Again, typename Put>
DEVICE void norm_row(i64 n, float epsilon, First first, Again again, Put put) {
    const i64 groups = n / WIDTH;
    const i64 rest = (i64) KEPT * blockDim.x + threadIdx.x;
    float kept[KEPT][WIDTH];
    float sum = 0.f;
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
#pragma unroll
        for (int w = 0; w < WIDTH; w++) kept[k][w] = 0.f;
        i64 group = (i64) k * blockDim.x + threadIdx.x;
        if (group < groups) first(group, kept[k]);
    }
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
#pragma unroll
        for (int w = 0; w < WIDTH; w++) sum += KIND == NORM_CENTRED ? kept[k][w] : kept[k][w] * kept[k][w];
    }
    for (i64 group = rest; group < groups; group += blockDim.x) {
        float v[WIDTH];
        first(group, v);
#pragma unroll
        for (int w = 0; w < WIDTH; w++) sum += KIND == NORM_CENTRED ? v[w] : v[w] * v[w];
    }
    sum = row_sum(sum);

    float mean = 0.f;
    if (KIND == NORM_CENTRED) {
        // The variance from the differences, not from the sum of squares, which would cancel out for a large mean.
        mean = sum / (float) n;
        float squares = 0.f;
#pragma unroll
        for (int k = 0; k < KEPT; k++) {
            if ((i64) k * blockDim.x + threadIdx.x < groups) {
#pragma unroll
                for (int w = 0; w < WIDTH; w++) squares += (kept[k][w] - mean) * (kept[k][w] - mean);
            }
        }
        for (i64 group = rest; group < groups; group += blockDim.x) {
            float v[WIDTH];
            again(group, v);
#pragma unroll
            for (int w = 0; w < WIDTH; w++) squares += (v[w] - mean) * (v[w] - mean);
        }
        sum = row_sum(squares);
    }

    const float factor = norm_factor<KIND>(sum, n, epsilon);
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        i64 group = (i64) k * blockDim.x + threadIdx.x;
        if (group < groups) {
#pragma unroll
            for (int w = 0; w < WIDTH; w++) kept[k][w] = (kept[k][w] - mean) * factor;
            put(k, group, kept[k]);
        }
    }
    for (i64 group = rest; group < groups; group += blockDim.x) {
        float v[WIDTH];
        again(group, v);
#pragma unroll
        for (int w = 0; w < WIDTH; w++) v[w] = (v[w] - mean) * factor;
        put(KEPT, group, v);
    }
}

// A group of elements of a row; four at once are f32, aligned to 16 bytes and next to each other.
template <typename T, int WIDTH> DEVICE void load_group(const u8 *row, i64 stride, i64 group, float *v) {
    if (WIDTH == 4) {
        float4 four = *(const float4 *) (row + group * 16);
        v[0] = four.x, v[1] = four.y, v[2] = four.z, v[3] = four.w;
    } else {
        v[0] = load<T>(row + group * stride);
    }
}

template <typename T, int WIDTH> DEVICE void store_group(u8 *row, i64 stride, i64 group, const float *v) {
    if (WIDTH == 4) {
        *(float4 *) (row + group * 16) = make_float4(v[0], v[1], v[2], v[3]);
    } else {
        store<T>(row + group * stride, v[0]);
    }
}

template <typename T, int WIDTH, int KIND> DEVICE void norm_rows(const View &x, const View &y, float epsilon) {
    pdl_launch_dependents();
    const i64 row = row_of_thread();
    if (row >= row_count(y)) return;
    const RowIndex index = row_index((u32) row, y);
    const u8 *from = row_at(x, index);
    u8 *to = row_at(y, index);
    const i64 from_stride = x.nb[0], to_stride = y.nb[0];
    pdl_wait();
    auto read = [=](i64 group, float *v) { load_group<T, WIDTH>(from, from_stride, group, v); };
    auto write = [=](int, i64 group, const float *v) { store_group<T, WIDTH>(to, to_stride, group, v); };
    norm_row<WIDTH, KIND>(y.ne[0], epsilon, read, read, write);
}

#define NORM_KERNELS(name, kind) \
    KERNEL name##_f32(View x, View y, float epsilon) { norm_rows<float, 1, kind>(x, y, epsilon); } \
    KERNEL name##_f32x4(View x, View y, float epsilon) { norm_rows<float, 4, kind>(x, y, epsilon); } \
    KERNEL name##_f16(View x, View y, float epsilon) { norm_rows<f16, 1, kind>(x, y, epsilon); } \
    KERNEL name##_bf16(View x, View y, float epsilon) { norm_rows<bf16, 1, kind>(x, y, epsilon); }

NORM_KERNELS(norm, NORM_CENTRED)
NORM_KERNELS(rms_norm, NORM_RMS)
NORM_KERNELS(l2_norm, NORM_L2)

// The weights of the groups that a thread keeps, read before the operands are complete where nothing writes them.
template <int WIDTH> struct Weights {
    const u8 *row;
    i64 stride;
    float kept[KEPT][WIDTH];

    __device__ __forceinline__ void read(const View &w, RowIndex index, i64 groups) {
        row = repeated_row_at(w, index);
        stride = w.nb[0];
#pragma unroll
        for (int k = 0; k < KEPT; k++) {
            i64 group = (i64) k * blockDim.x + threadIdx.x;
            if (group < groups) load_group<float, WIDTH>(row, stride, group, kept[k]);
        }
    }

    // Multiplies the k-th group of this thread; k is known when this is compiled, so that registers can be chosen.
    __device__ __forceinline__ void multiply(int k, i64 group, float *v) const {
        float w[WIDTH];
        if (k == KEPT) load_group<float, WIDTH>(row, stride, group, w);
#pragma unroll
        for (int i = 0; i < WIDTH; i++) v[i] *= k == KEPT ? w[i] : kept[k < KEPT ? k : 0][i];
    }
};

// y = rms_norm(x) * w
template <int WIDTH>
DEVICE void rms_norm_mul_rows(const View &x, const View &w, const View &y, float epsilon, int weights_ready) {
    pdl_launch_dependents();
    const i64 row = row_of_thread();
    if (row >= row_count(y)) return;
    const RowIndex index = row_index((u32) row, y);
    const u8 *from = row_at(x, index);
    u8 *to = row_at(y, index);
    const i64 from_stride = x.nb[0], to_stride = y.nb[0];
    Weights<WIDTH> weights;
    if (!weights_ready) pdl_wait();
    weights.read(w, index, y.ne[0] / WIDTH);
    if (weights_ready) pdl_wait();
    auto read = [=](i64 group, float *v) { load_group<float, WIDTH>(from, from_stride, group, v); };
    auto write = [&](int k, i64 group, float *v) {
        weights.multiply(k, group, v);
        store_group<float, WIDTH>(to, to_stride, group, v);
    };
    norm_row<WIDTH, NORM_RMS>(y.ne[0], epsilon, read, read, write);
}

KERNEL rms_norm_mul_f32(View x, View w, View y, float epsilon, int weights_ready) {
    rms_norm_mul_rows<1>(x, w, y, epsilon, weights_ready);
}
KERNEL rms_norm_mul_f32x4(View x, View w, View y, float epsilon, int weights_ready) {
    rms_norm_mul_rows<4>(x, w, y, epsilon, weights_ready);
}

// sum = a + b; y = rms_norm(sum) * w
template <int WIDTH>
DEVICE void add_rms_norm_mul_rows(
        const View &a, const View &b, const View &sum, const View &w, const View &y, float epsilon, int weights_ready) {
    pdl_launch_dependents();
    const i64 row = row_of_thread();
    if (row >= row_count(y)) return;
    const RowIndex index = row_index((u32) row, y);
    const u8 *from_a = row_at(a, index);
    const u8 *from_b = row_at(b, index);
    u8 *sums = row_at(sum, index);
    u8 *to = row_at(y, index);
    const i64 a_stride = a.nb[0], b_stride = b.nb[0], sum_stride = sum.nb[0], to_stride = y.nb[0];
    Weights<WIDTH> weights;
    if (!weights_ready) pdl_wait();
    weights.read(w, index, y.ne[0] / WIDTH);
    if (weights_ready) pdl_wait();
    auto add = [=](i64 group, float *v) {
        float other[WIDTH];
        load_group<float, WIDTH>(from_a, a_stride, group, v);
        load_group<float, WIDTH>(from_b, b_stride, group, other);
#pragma unroll
        for (int i = 0; i < WIDTH; i++) v[i] += other[i];
        store_group<float, WIDTH>(sums, sum_stride, group, v);
    };
    auto read = [=](i64 group, float *v) { load_group<float, WIDTH>(sums, sum_stride, group, v); };
    auto write = [&](int k, i64 group, float *v) {
        weights.multiply(k, group, v);
        store_group<float, WIDTH>(to, to_stride, group, v);
    };
    norm_row<WIDTH, NORM_RMS>(y.ne[0], epsilon, add, read, write);
}

KERNEL add_rms_norm_mul_f32(View a, View b, View sum, View w, View y, float epsilon, int weights_ready) {
    add_rms_norm_mul_rows<1>(a, b, sum, w, y, epsilon, weights_ready);
}
KERNEL add_rms_norm_mul_f32x4(View a, View b, View sum, View w, View y, float epsilon, int weights_ready) {
    add_rms_norm_mul_rows<4>(a, b, sum, w, y, epsilon, weights_ready);
}

// GROUP_NORM: block (group, image) has `channels` channels (dimension 2), the last group maybe fewer. Elements are
// numbered along dimensions 0, 1, 2 of the group; they are read three times, which mostly comes from the L2 cache.
KERNEL group_norm_f32(View x, View y, int channels, float epsilon) {
    pdl_launch_dependents();
    const i64 first = (i64) blockIdx.x * channels;
    const i64 end = first + channels < y.ne[2] ? first + channels : y.ne[2];
    const i64 per_channel = y.ne[0] * y.ne[1];
    const i64 count = per_channel * (end - first);
    const u8 *from = x.data + first * x.nb[2] + (i64) blockIdx.y * x.nb[3];
    u8 *to = y.data + first * y.nb[2] + (i64) blockIdx.y * y.nb[3];
    // Without gaps an element is found by its number alone, which saves divisions.
    const bool dense = x.nb[0] == 4 && x.nb[1] == y.ne[0] * 4 && x.nb[2] == per_channel * 4
            && y.nb[0] == 4 && y.nb[1] == x.nb[1] && y.nb[2] == x.nb[2];
    auto offset = [&](const View &t, i64 e) {
        if (dense) return e * 4;
        i64 row = e / y.ne[0], channel = row / y.ne[1];
        return (e - row * y.ne[0]) * t.nb[0] + (row - channel * y.ne[1]) * t.nb[1] + channel * t.nb[2];
    };
    pdl_wait();
    float sum = 0.f;
    for (i64 e = threadIdx.x; e < count; e += blockDim.x) sum += load<float>(from + offset(x, e));
    const float mean = row_sum(sum) / (float) count;
    float squares = 0.f;
    for (i64 e = threadIdx.x; e < count; e += blockDim.x) {
        float off = load<float>(from + offset(x, e)) - mean;
        squares += off * off;
    }
    const float factor = norm_factor<NORM_CENTRED>(row_sum(squares), count, epsilon);
    for (i64 e = threadIdx.x; e < count; e += blockDim.x) {
        store<float>(to + offset(y, e), (load<float>(from + offset(x, e)) - mean) * factor);
    }
}
