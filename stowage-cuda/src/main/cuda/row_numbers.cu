// Numbers of rows, checked before the kernels that use them run. These stay inside their tables whatever the numbers are, but
// what they compute from a wrong one means nothing, and a kernel cannot throw: the first wrong number is written to a report
// in host memory, which is read when the stream is waited for.
//
//     report   {subject + 1, number, rows}; subject + 1 is 0 as long as nothing was found
#include "strided.cuh"

static const int NONE = 0x7fffffff;
static const int LISTS = 4;
// Threads of one block that go over a list.
static const int LANES = 256;

// A list has fewer than 2^31 numbers.
DEVICE i64 number_at(const View &numbers, int wide, u32 i) {
    const u32 ne0 = (u32) numbers.ne[0], ne1 = (u32) numbers.ne[1], ne2 = (u32) numbers.ne[2];
    const u32 row = i / ne0, plane = row / ne1;
    const u8 *at = element_of(numbers, i - row * ne0, row - plane * ne1, plane % ne2, plane / ne2);
    return wide ? *(const i64 *) at : (i64) *(const int *) at;
}

// The first wrong number of a list, by its place; LANES threads call this.
DEVICE void search_list(const View &numbers, int wide, i64 rows, int *first) {
    const int count = (int) (numbers.ne[0] * numbers.ne[1] * numbers.ne[2] * numbers.ne[3]);
#pragma unroll 1
    for (int i = threadIdx.x % LANES; i < count; i += LANES) {
        i64 number = number_at(numbers, wide, i);
        if (number < 0 || number >= rows) atomicMin(first, i);
    }
}

// What was found first stays; one thread calls this.
DEVICE void report_list(const View &numbers, int wide, i64 rows, i64 subject, int first, volatile i64 *report) {
    if (first == NONE || report[0] != 0) return;
    report[1] = number_at(numbers, wide, first);
    report[2] = rows;
    __threadfence_system();
    report[0] = subject + 1;
}

// Up to four lists of i32, or of i64 where `wide` has their bit; those that are not there are empty. One block goes over all
// of them at once, so that reports do not mix, and a list of a few numbers takes no longer than reading one.
KERNEL check_row_numbers(View a, i64 a_rows, i64 a_subject, View b, i64 b_rows, i64 b_subject, View c, i64 c_rows,
                         i64 c_subject, View d, i64 d_rows, i64 d_subject, int wide, i64 *report) {
    __shared__ int first[LISTS];
    pdl_launch_dependents();
    const int list = threadIdx.x / LANES;
    if (threadIdx.x < LISTS) first[threadIdx.x] = NONE;
    __syncthreads();
    pdl_wait();
    if (list == 0) search_list(a, wide & 1, a_rows, &first[0]);
    else if (list == 1) search_list(b, wide & 2, b_rows, &first[1]);
    else if (list == 2) search_list(c, wide & 4, c_rows, &first[2]);
    else search_list(d, wide & 8, d_rows, &first[3]);
    __syncthreads();
    if (threadIdx.x == 0) {
        report_list(a, wide & 1, a_rows, a_subject, first[0], report);
        report_list(b, wide & 2, b_rows, b_subject, first[1], report);
        report_list(c, wide & 4, c_rows, c_subject, first[2], report);
        report_list(d, wide & 8, d_rows, d_subject, first[3], report);
    }
}

// The numbers without gaps, wrong ones replaced by 0: for kernels that do not check.
KERNEL clamp_row_numbers(View numbers, i64 rows, int *clamped) {
    begin_dependent();
    const int count = (int) (numbers.ne[0] * numbers.ne[1] * numbers.ne[2] * numbers.ne[3]);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        i64 number = number_at(numbers, 0, i);
        clamped[i] = number < 0 || number >= rows ? 0 : (int) number;
    }
}
