// State space layers: the short convolution along tokens (SSM_CONV) and the selective scan (SSM_SCAN).
#include "rows.cuh"

// y[inner, token, s] = sum over k of kernel[k, inner] * data[token + k, inner, s]; a thread per element of the result.
KERNEL ssm_conv_f32(View data, View kernel, View y) {
    pdl_launch_dependents();
    const i64 inner = (i64) blockIdx.x * blockDim.x + threadIdx.x;
    if (inner >= y.ne[0]) return;
    const u8 *weights = kernel.data + inner * kernel.nb[1];
    pdl_wait();
    for (i64 s = blockIdx.z; s < y.ne[2]; s += gridDim.z) {
        for (i64 token = blockIdx.y; token < y.ne[1]; token += gridDim.y) {
            const u8 *from = data.data + token * data.nb[0] + inner * data.nb[1] + s * data.nb[2];
            float sum = 0.f;
            for (i64 k = 0; k < kernel.ne[0]; k++) {
                sum += load<float>(weights + k * kernel.nb[0]) * load<float>(from + k * data.nb[0]);
            }
            store<float>(y.data + inner * y.nb[0] + token * y.nb[1] + s * y.nb[2], sum);
        }
    }
}

// Above this, ggml takes the softplus of a number for the number itself.
DEVICE float softplus(float x) { return x > 20.f ? x : log1pf(expf(x)); }

// A warp has one row of a state, [i, head, sequence], over all tokens; a lane has elements lane, lane + 32, ... of it.
//   y[sequence][token][head][i], then for the last `kept` tokens, newest first, states[sequence][head][i][n]
template <int PER_LANE>
DEVICE void ssm_scan_rows(
        const View &states, const View &x, const View &dt, const View &a, const View &b, const View &c, const int *ids,
        float *y, int kept) {
    pdl_launch_dependents();
    const int lane = threadIdx.x;
    const i64 rows = x.ne[0] * x.ne[1] * x.ne[3];
    const i64 row = (i64) blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const i64 size = x.ne[0], heads = x.ne[1], tokens = x.ne[2], sequences = x.ne[3];
    const int n = (int) states.ne[0];
    const i64 i = row % size, head = row / size % heads, sequence = row / (size * heads);
    const i64 group = head / (heads / b.ne[1]);
    float *after = y + size * heads * tokens * sequences;
    pdl_wait();
    const int id = ids[sequence];
    if (id < 0 || id >= states.ne[3]) return; // the reference refuses such an id
    const u8 *first = states.data + i * states.nb[1] + head * states.nb[2] + id * states.nb[3];
    float state[PER_LANE], decay[PER_LANE];
#pragma unroll
    for (int k = 0; k < PER_LANE; k++) {
        int e = lane + 32 * k;
        state[k] = e < n ? load<float>(first + e * states.nb[0]) : 0.f;
        decay[k] = e < n ? load<float>(a.data + (a.ne[0] == 1 ? 0 : e) * a.nb[0] + head * a.nb[1]) : 0.f;
    }
    for (i64 token = 0; token < tokens; token++) {
        const float d = softplus(load<float>(dt.data + head * dt.nb[0] + token * dt.nb[1] + sequence * dt.nb[2]));
        const float in =
                d * load<float>(x.data + i * x.nb[0] + head * x.nb[1] + token * x.nb[2] + sequence * x.nb[3]);
        const u8 *of_b = b.data + group * b.nb[1] + token * b.nb[2] + sequence * b.nb[3];
        const u8 *of_c = c.data + group * c.nb[1] + token * c.nb[2] + sequence * c.nb[3];
        float sum = 0.f;
#pragma unroll
        for (int k = 0; k < PER_LANE; k++) {
            int e = lane + 32 * k;
            if (e < n) {
                state[k] = expf(d * decay[k]) * state[k] + in * load<float>(of_b + e * b.nb[0]);
                sum += state[k] * load<float>(of_c + e * c.nb[0]);
            }
        }
        sum = warp_sum(sum);
        if (lane == 0) y[((sequence * tokens + token) * heads + head) * size + i] = sum;
        const i64 ago = tokens - 1 - token;
        if (ago < kept) {
            float *to = after + (((ago * sequences + sequence) * heads + head) * size + i) * n;
#pragma unroll
            for (int k = 0; k < PER_LANE; k++) {
                if (lane + 32 * k < n) to[lane + 32 * k] = state[k];
            }
        }
    }
}

#define SSM_SCAN_KERNEL(name, per_lane) \
    KERNEL name(View states, View x, View dt, View a, View b, View c, const int *ids, float *y, int kept) { \
        ssm_scan_rows<per_lane>(states, x, dt, a, b, c, ids, y, kept); \
    }

SSM_SCAN_KERNEL(ssm_scan_32, 1)
SSM_SCAN_KERNEL(ssm_scan_64, 2)
SSM_SCAN_KERNEL(ssm_scan_128, 4)
SSM_SCAN_KERNEL(ssm_scan_256, 8)
