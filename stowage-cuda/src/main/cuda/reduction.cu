// Sums, means, running sums and counts of rows, and where their largest element is.
#include "rows.cuh"

// ---- sums of rows

template <typename T> DEVICE float sum_of_row(const u8 *row, i64 stride, i64 n) {
    // Four sums at once: the loads of a thread do not wait for each other.
    float sums[4] = {0.f, 0.f, 0.f, 0.f};
    i64 i = threadIdx.x;
    for (; i + 3 * (i64) blockDim.x < n; i += 4 * (i64) blockDim.x) {
#pragma unroll
        for (int k = 0; k < 4; k++) sums[k] += load<T>(row + (i + k * (i64) blockDim.x) * stride);
    }
    for (; i < n; i += blockDim.x) sums[0] += load<T>(row + i * stride);
    return row_sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

// y[0, row] = the sum of row / divisor
template <typename T, typename R> DEVICE void sum_rows(const View &x, const View &y, float divisor) {
    pdl_launch_dependents();
    const i64 row = row_of_thread();
    if (row >= row_count(y)) return;
    const RowIndex index = row_index((u32) row, y);
    pdl_wait();
    const float sum = sum_of_row<T>(row_at(x, index), x.nb[0], x.ne[0]);
    if (threadIdx.x == 0) store<R>(row_at(y, index), sum / divisor);
}

KERNEL sum_rows_f32(View x, View y, float divisor) { sum_rows<float, float>(x, y, divisor); }
KERNEL sum_rows_f16(View x, View y, float divisor) { sum_rows<f16, f16>(x, y, divisor); }
KERNEL sum_rows_bf16(View x, View y, float divisor) { sum_rows<bf16, bf16>(x, y, divisor); }
KERNEL mean_rows_f16(View x, View y, float divisor) { sum_rows<f16, float>(x, y, divisor); }
KERNEL mean_rows_bf16(View x, View y, float divisor) { sum_rows<bf16, float>(x, y, divisor); }

// ---- the sum of all elements: each block sums pieces of rows, then one block sums what they found

static const int PIECE = 8192;

template <typename T> DEVICE void sum_blocks(const View &x, float *parts) {
    pdl_launch_dependents();
    pdl_wait();
    const i64 pieces = (x.ne[0] + PIECE - 1) / PIECE;
    const i64 work = row_count(x) * pieces;
    float sum = 0.f;
    for (i64 item = blockIdx.x; item < work; item += gridDim.x) {
        const i64 row = item / pieces;
        const i64 first = (item - row * pieces) * PIECE;
        const i64 end = first + PIECE < x.ne[0] ? first + PIECE : x.ne[0];
        const u8 *at = row_at(x, row_index((u32) row, x));
        for (i64 i = first + threadIdx.x; i < end; i += blockDim.x) sum += load<T>(at + i * x.nb[0]);
    }
    sum = row_sum(sum);
    if (threadIdx.x == 0) parts[blockIdx.x] = sum;
}

KERNEL sum_blocks_f32(View x, float *parts) { sum_blocks<float>(x, parts); }
KERNEL sum_blocks_f16(View x, float *parts) { sum_blocks<f16>(x, parts); }
KERNEL sum_blocks_bf16(View x, float *parts) { sum_blocks<bf16>(x, parts); }

template <typename T> DEVICE void sum_parts(const float *parts, int count, u8 *y) {
    pdl_launch_dependents();
    pdl_wait();
    const float sum = sum_of_row<float>((const u8 *) parts, 4, count);
    if (threadIdx.x == 0) store<T>(y, sum);
}

KERNEL sum_parts_f32(const float *parts, int count, u8 *y) { sum_parts<float>(parts, count, y); }
KERNEL sum_parts_f16(const float *parts, int count, u8 *y) { sum_parts<f16>(parts, count, y); }
KERNEL sum_parts_bf16(const float *parts, int count, u8 *y) { sum_parts<bf16>(parts, count, y); }

// ---- running sums

// A block scans its row in pieces of one element per thread: within warps, over the sums of warps, plus all before.
KERNEL cumsum_f32(View x, View y) {
    pdl_launch_dependents();
    __shared__ float warp_sums[32];
    const RowIndex index = row_index(blockIdx.x, y);
    const u8 *from = row_at(x, index);
    u8 *to = row_at(y, index);
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    float before = 0.f;
    pdl_wait();
    for (i64 start = 0; start < y.ne[0]; start += blockDim.x) {
        const i64 i = start + threadIdx.x;
        float v = i < y.ne[0] ? load<float>(from + i * x.nb[0]) : 0.f;
#pragma unroll
        for (int o = 1; o < 32; o <<= 1) {
            float left = __shfl_up_sync(0xffffffffu, v, o);
            if (lane >= o) v += left;
        }
        if (lane == 31) warp_sums[warp] = v;
        __syncthreads();
        float own = lane < warps ? warp_sums[lane] : 0.f;
        const float total = warp_sum(own);
        v += before + warp_sum(lane < warp ? own : 0.f);
        if (i < y.ne[0]) store<float>(to + i * y.nb[0], v);
        before += total;
        __syncthreads(); // all have read the sums of warps
    }
}

// ---- the place of the largest

struct Place {
    float value;
    int at; // -1 if there is none
};

// The larger of two; of equal ones the later.
DEVICE Place later_largest(Place a, Place b) {
    if (a.at < 0 || b.at < 0) return a.at < 0 ? b : a;
    if (a.value == b.value) return a.at > b.at ? a : b;
    return a.value > b.value ? a : b;
}

DEVICE Place warp_largest(Place p) {
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
        Place other = {__shfl_xor_sync(0xffffffffu, p.value, o), __shfl_xor_sync(0xffffffffu, p.at, o)};
        p = later_largest(p, other);
    }
    return p;
}

// The largest element of a part of a row, NaN left out, and whether there is one, in every thread of the block.
DEVICE Place row_largest(const u8 *row, i64 stride, int first, int end, bool &has_nan) {
    __shared__ Place parts[32];
    Place best = {0.f, -1};
    int nan = 0;
    for (i64 i = first + (i64) threadIdx.x; i < end; i += blockDim.x) {
        float v = load<float>(row + i * stride);
        if (is_nan(v)) {
            nan = 1;
        } else {
            best = later_largest(best, {v, (int) i});
        }
    }
    best = warp_largest(best);
    if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = best;
    has_nan = __syncthreads_or(nan) != 0;
    Place part = {0.f, -1};
    if ((threadIdx.x & 31) < blockDim.x >> 5) part = parts[threadIdx.x & 31];
    best = warp_largest(part);
    __syncthreads(); // the parts may be written again
    return best;
}

// The last place in a part of a row that is NaN, or that is not; `first - 1` if there is none.
DEVICE int last_place(const u8 *row, i64 stride, int first, int end, bool nan) {
    __shared__ int last;
    if (threadIdx.x == 0) last = first - 1;
    __syncthreads();
    int own = first - 1;
    for (i64 i = first + (i64) threadIdx.x; i < end; i += blockDim.x) {
        if (is_nan(load<float>(row + i * stride)) == nan) own = (int) i;
    }
    if (own >= first) atomicMax(&last, own);
    __syncthreads();
    int result = last;
    __syncthreads();
    return result;
}

// The place of the largest is found from left to right: NaN is never the largest, but what stands before it does not
// count, unless nothing but NaN follows. What a part of a row means for those after it:
struct PartLargest {
    float value; // the largest that counts within the part
    int at;      // its last place, -1 if all are NaN
    int resets;  // whether nothing before the part counts
    int ends;    // whether NaN follows in the part, so that this does not count where a number comes after
};

// The summary of a part, in every thread of the block.
DEVICE PartLargest part_largest(const u8 *row, i64 stride, int first, int end) {
    bool has_nan;
    Place best = row_largest(row, stride, first, end, has_nan);
    if (!has_nan) return {best.value, best.at, 0, 0};
    const int last = last_place(row, stride, first, end, false) + 1;
    const int from = last_place(row, stride, first, last, true) + 1;
    best = row_largest(row, stride, from, last, has_nan);
    return {best.value, best.at, from > first, last < end};
}

// y[row] = the last place of the largest element, 0 where nothing counts; a block for each row.
KERNEL argmax_f32(View x, View y) {
    pdl_launch_dependents();
    const u8 *row = x.data + (i64) blockIdx.x * x.nb[1];
    pdl_wait();
    const PartLargest best = part_largest(row, x.nb[0], 0, (int) x.ne[0]);
    if (threadIdx.x == 0) *(int *) (y.data + (i64) blockIdx.x * y.nb[0]) = best.at < 0 ? 0 : best.at;
}

// Long rows in two steps: a block (x) summarises a part of a row (y), then a warp combines the parts of its row.
KERNEL argmax_parts_f32(View x, PartLargest *parts, int part_size) {
    pdl_launch_dependents();
    const u8 *row = x.data + (i64) blockIdx.y * x.nb[1];
    const i64 first = (i64) blockIdx.x * part_size;
    const i64 end = first + part_size < x.ne[0] ? first + part_size : x.ne[0];
    pdl_wait();
    const PartLargest best = part_largest(row, x.nb[0], (int) first, (int) end);
    if (threadIdx.x == 0) parts[(i64) blockIdx.y * gridDim.x + blockIdx.x] = best;
}

KERNEL argmax_combine(const PartLargest *parts, int count, View y) {
    pdl_launch_dependents();
    parts += (i64) blockIdx.x * count;
    Place best = {0.f, -1};
    int nan = 0;
    pdl_wait();
    for (int i = threadIdx.x; i < count; i += 32) {
        const PartLargest part = parts[i];
        best = later_largest(best, {part.value, part.at});
        nan |= part.resets | part.ends | (part.at < 0 ? 1 : 0);
    }
    best = warp_largest(best);
    if (__any_sync(0xffffffffu, nan) && threadIdx.x == 0) {
        best = {0.f, -1};
        bool counts = false; // whether what was found still counts
        for (int i = 0; i < count; i++) {
            const PartLargest part = parts[i];
            if (part.at >= 0) {
                const Place place = {part.value, part.at};
                best = counts && !part.resets ? later_largest(best, place) : place;
            }
            counts = part.at >= 0 ? !part.ends : false;
        }
    }
    if (threadIdx.x == 0) *(int *) (y.data + (i64) blockIdx.x * y.nb[0]) = best.at < 0 ? 0 : best.at;
}

// ---- equal elements

DEVICE i64 row_sum_of_counts(i64 v) {
    __shared__ i64 parts[32];
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
    __syncthreads();
    if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = v;
    __syncthreads();
    i64 sum = 0;
    for (int w = 0; w < (int) (blockDim.x >> 5); w++) sum += parts[w];
    return sum;
}

// Each block counts the equal elements of some rows.
KERNEL count_equal_blocks_i32(View a, View b, i64 *parts) {
    pdl_launch_dependents();
    pdl_wait();
    const i64 rows = row_count(a);
    i64 count = 0;
    for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
        const RowIndex index = row_index((u32) row, a);
        const u8 *of_a = row_at(a, index), *of_b = row_at(b, index);
        for (i64 i = threadIdx.x; i < a.ne[0]; i += blockDim.x) {
            count += *(const int *) (of_a + i * a.nb[0]) == *(const int *) (of_b + i * b.nb[0]) ? 1 : 0;
        }
    }
    count = row_sum_of_counts(count);
    if (threadIdx.x == 0) parts[blockIdx.x] = count;
}

KERNEL count_equal_parts(const i64 *parts, int count, i64 *y) {
    pdl_launch_dependents();
    pdl_wait();
    i64 sum = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x) sum += parts[i];
    sum = row_sum_of_counts(sum);
    if (threadIdx.x == 0) *y = sum;
}
