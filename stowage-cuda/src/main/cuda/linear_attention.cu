// Layers that keep a square matrix for each head and change it from token to token: RWKV_WKV6, RWKV_WKV7,
// GATED_LINEAR_ATTN, GATED_DELTA_NET.
//
// In each of them either the rows or the columns of a state do not depend on each other, so that a warp has one such
// line over all tokens, in registers: a lane has elements lane, lane + 32, ... of it.
#include "rows.cuh"

enum Layer { LAYER_WKV6, LAYER_WKV7, LAYER_GATED };

// The elements of a lane in a vector of `size`; 0 beyond it.
template <int PER_LANE> struct Line {
    float v[PER_LANE];

    __device__ __forceinline__ void read(const float *from, int size, i64 stride) {
#pragma unroll
        for (int k = 0; k < PER_LANE; k++) {
            int e = threadIdx.x + 32 * k;
            v[k] = e < size ? from[e * stride] : 0.f;
        }
    }

    __device__ __forceinline__ void write(float *to, int size, i64 stride) const {
#pragma unroll
        for (int k = 0; k < PER_LANE; k++) {
            int e = threadIdx.x + 32 * k;
            if (e < size) to[e * stride] = v[k];
        }
    }

    __device__ __forceinline__ float dot(const Line &other) const {
        float sum = 0.f;
#pragma unroll
        for (int k = 0; k < PER_LANE; k++) sum += v[k] * other.v[k];
        return warp_sum(sum);
    }
};

// Operands [size, heads, tokens] without gaps; the tokens of all sequences follow each other. The states are
// [size][size] per head and sequence. y holds a row [heads][size] for each token, then the states after the last.
// WKV6 and the gated layer have independent columns, WKV7 rows.
//   WKV6   p0 = k, p1 = v, p2 = r, p3 = first, p4 = decay
//   WKV7   p0 = k, p1 = v, p2 = r, p3 = a, p4 = w, p5 = b
//   gated  p0 = k, p1 = v, p2 = q, p4 = gate
template <int LAYER, int PER_LANE>
DEVICE void scan_lines(
        const float *p0, const float *p1, const float *p2, const float *p3, const float *p4, const float *p5,
        const float *states, float *y, int size, int heads, i64 tokens, int sequences, float scale) {
    pdl_launch_dependents();
    const i64 line = (i64) blockIdx.x * blockDim.y + threadIdx.y;
    if (line >= (i64) size * heads * sequences) return;
    const int own = (int) (line % size);
    const i64 head = line / size % heads, sequence = line / size / heads;
    const i64 per_sequence = tokens / sequences;
    // The first element of the line, and the elements between neighbours of it.
    const i64 start = (sequence * heads + head) * size * size + (LAYER == LAYER_WKV7 ? (i64) own * size : own);
    const i64 stride = LAYER == LAYER_WKV7 ? 1 : size;
    Line<PER_LANE> state, k, r, decay, other, b;
    pdl_wait();
    state.read(states + start, size, stride);
    if (LAYER == LAYER_WKV6) other.read(p3 + head * size, size, 1);
    for (i64 token = sequence * per_sequence; token < (sequence + 1) * per_sequence; token++) {
        const i64 at = (token * heads + head) * size;
        k.read(p0 + at, size, 1);
        r.read(p2 + at, size, 1);
        decay.read(p4 + at, size, 1);
        const float v = p1[at + own];
        float out;
        if (LAYER == LAYER_WKV7) {
            other.read(p3 + at, size, 1);
            b.read(p5 + at, size, 1);
            const float seen = state.dot(other);
#pragma unroll
            for (int i = 0; i < PER_LANE; i++) {
                state.v[i] = state.v[i] * decay.v[i] + v * k.v[i] + seen * b.v[i];
            }
            out = state.dot(r);
        } else {
            float sum = 0.f;
#pragma unroll
            for (int i = 0; i < PER_LANE; i++) {
                const float added = k.v[i] * v;
                if (LAYER == LAYER_WKV6) {
                    sum += r.v[i] * (other.v[i] * added + state.v[i]);
                    state.v[i] = decay.v[i] * state.v[i] + added;
                } else {
                    state.v[i] = decay.v[i] * state.v[i] + added;
                    sum += r.v[i] * scale * state.v[i];
                }
            }
            out = warp_sum(sum);
        }
        if (threadIdx.x == 0) y[at + own] = out;
    }
    state.write(y + tokens * heads * size + start, size, stride);
}

#define SCAN_KERNEL(name, layer, per_lane) \
    KERNEL name( \
            const float *p0, const float *p1, const float *p2, const float *p3, const float *p4, const float *p5, \
            const float *states, float *y, int size, int heads, i64 tokens, int sequences, float scale) { \
        scan_lines<layer, per_lane>(p0, p1, p2, p3, p4, p5, states, y, size, heads, tokens, sequences, scale); \
    }
#define SCAN_KERNELS(name, layer) \
    SCAN_KERNEL(name##_32, layer, 1) \
    SCAN_KERNEL(name##_64, layer, 2) \
    SCAN_KERNEL(name##_128, layer, 4) \
    SCAN_KERNEL(name##_256, layer, 8)

SCAN_KERNELS(rwkv_wkv6, LAYER_WKV6)
SCAN_KERNELS(rwkv_wkv7, LAYER_WKV7)
SCAN_KERNELS(gated_linear_attn, LAYER_GATED)

// A state answers a key with a value: row j with element j. For each token it decays by exp(gate), is corrected by beta
// times what the answer to k is off from v, and is asked for q. Rows of q, k and v are without gaps, gate, beta and
// state all. Queries and keys with fewer heads or sequences serve several.
//   y[sequence][token][head][size], then for the last `kept` tokens, newest first, states[sequence][head][size][size]
template <int PER_LANE>
DEVICE void delta_lines(
        const View &q, const View &k, const View &v, const View &gate, const float *beta, const float *states,
        float *y, int kept) {
    pdl_launch_dependents();
    const int size = (int) v.ne[0];
    const i64 heads = v.ne[1], tokens = v.ne[2], sequences = v.ne[3];
    const i64 line = (i64) blockIdx.x * blockDim.y + threadIdx.y;
    if (line >= size * heads * sequences) return;
    const i64 j = line % size, head = line / size % heads, sequence = line / size / heads;
    const float root = sqrtf((float) size);
    const u8 *of_q = q.data + head % q.ne[1] * q.nb[1] + sequence / (sequences / q.ne[3]) * q.nb[3];
    const u8 *of_k = k.data + head % k.ne[1] * k.nb[1] + sequence / (sequences / k.ne[3]) * k.nb[3];
    const u8 *of_v = v.data + j * v.nb[0] + head * v.nb[1] + sequence * v.nb[3];
    Line<PER_LANE> state, query, key, decay;
    pdl_wait();
    state.read(states + line * size, size, 1);
    for (i64 token = 0; token < tokens; token++) {
        const i64 at = (sequence * tokens + token) * heads + head;
        query.read((const float *) (of_q + token * q.nb[2]), size, 1);
        key.read((const float *) (of_k + token * k.nb[2]), size, 1);
        if (gate.ne[0] == 1) {
            const float all = expf(((const float *) gate.data)[at]);
#pragma unroll
            for (int i = 0; i < PER_LANE; i++) state.v[i] *= all;
        } else {
            decay.read((const float *) gate.data + at * size, size, 1);
#pragma unroll
            for (int i = 0; i < PER_LANE; i++) state.v[i] *= expf(decay.v[i]);
        }
        const float missing = beta[at] * (load<float>(of_v + token * v.nb[2]) - state.dot(key));
#pragma unroll
        for (int i = 0; i < PER_LANE; i++) state.v[i] += missing * key.v[i];
        const float out = state.dot(query) / root;
        if (threadIdx.x == 0) y[at * size + j] = out;
        const i64 ago = tokens - 1 - token;
        if (ago < kept) {
            const i64 matrix = (ago * sequences + sequence) * heads + head;
            state.write(y + size * heads * tokens * sequences + (matrix * size + j) * size, size, 1);
        }
    }
}

#define DELTA_KERNEL(name, per_lane) \
    KERNEL name(View q, View k, View v, View gate, const float *beta, const float *states, float *y, int kept) { \
        delta_lines<per_lane>(q, k, v, gate, beta, states, y, kept); \
    }

DELTA_KERNEL(gated_delta_net_32, 1)
DELTA_KERNEL(gated_delta_net_64, 2)
DELTA_KERNEL(gated_delta_net_128, 4)
DELTA_KERNEL(gated_delta_net_256, 8)
