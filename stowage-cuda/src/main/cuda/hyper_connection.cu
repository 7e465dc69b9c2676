// Residual connections of several streams: DSV4_HC_COMB, DSV4_HC_PRE, DSV4_HC_POST, all f32.
#include "rows.cuh"

static const int STREAMS = 4;

// The softmax of each row of the mixes, then columns and rows divided by their sums in turn, columns last. A thread
// has the matrix of a token. The mixes begin with two weights for each stream, which are for other ops, and so do the
// scales.
KERNEL hc_comb_f32(View mixes, View scales, View base, View y, float epsilon, int iterations) {
    pdl_launch_dependents();
    const i64 token = (i64) blockIdx.x * blockDim.x + threadIdx.x;
    if (token >= y.ne[2]) return;
    float m[STREAMS][STREAMS];
    pdl_wait();
    const float scale = load<float>(scales.data + 2 * scales.nb[0]);
#pragma unroll
    for (int row = 0; row < STREAMS; row++) {
        float max = -infinity();
#pragma unroll
        for (int column = 0; column < STREAMS; column++) {
            int mix = 2 * STREAMS + column + STREAMS * row;
            m[row][column] = load<float>(mixes.data + mix * mixes.nb[0] + token * mixes.nb[1]) * scale
                    + load<float>(base.data + mix * base.nb[0]);
            max = fmaxf(max, m[row][column]);
        }
        float sum = 0.f;
#pragma unroll
        for (int column = 0; column < STREAMS; column++) {
            m[row][column] = expf(m[row][column] - max);
            sum += m[row][column];
        }
#pragma unroll
        for (int column = 0; column < STREAMS; column++) m[row][column] = m[row][column] / sum + epsilon;
    }
    for (int i = 0; i < iterations; i++) {
        if (i > 0) {
#pragma unroll
            for (int row = 0; row < STREAMS; row++) {
                float sum = epsilon;
#pragma unroll
                for (int column = 0; column < STREAMS; column++) sum += m[row][column];
#pragma unroll
                for (int column = 0; column < STREAMS; column++) m[row][column] /= sum;
            }
        }
#pragma unroll
        for (int column = 0; column < STREAMS; column++) {
            float sum = epsilon;
#pragma unroll
            for (int row = 0; row < STREAMS; row++) sum += m[row][column];
#pragma unroll
            for (int row = 0; row < STREAMS; row++) m[row][column] /= sum;
        }
    }
#pragma unroll
    for (int row = 0; row < STREAMS; row++) {
#pragma unroll
        for (int column = 0; column < STREAMS; column++) {
            store<float>(y.data + column * y.nb[0] + row * y.nb[1] + token * y.nb[2], m[row][column]);
        }
    }
}

// y[i, token] = sum over streams of weights[stream, token] * x[i, stream, token]; block (part of a row, token).
KERNEL hc_pre_f32(View x, View weights, View y) {
    pdl_launch_dependents();
    const i64 i = (i64) blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= y.ne[0]) return;
    pdl_wait();
    for (i64 token = blockIdx.y; token < y.ne[1]; token += gridDim.y) {
        const u8 *from = x.data + i * x.nb[0] + token * x.nb[2];
        const u8 *weight = weights.data + token * weights.nb[1];
        float sum = 0.f;
        for (i64 s = 0; s < x.ne[1]; s++) {
            sum += load<float>(weight + s * weights.nb[0]) * load<float>(from + s * x.nb[1]);
        }
        store<float>(y.data + i * y.nb[0] + token * y.nb[1], sum);
    }
}

// y[i, to] = x[i] * post[to] + sum over streams of residual[i, from] * comb[to, from], per token; block (part of a row,
// token, to).
KERNEL hc_post_f32(View x, View residual, View post, View comb, View y) {
    pdl_launch_dependents();
    const i64 i = (i64) blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= y.ne[0]) return;
    const i64 to = blockIdx.z;
    pdl_wait();
    for (i64 token = blockIdx.y; token < y.ne[2]; token += gridDim.y) {
        float sum = load<float>(x.data + i * x.nb[0] + token * x.nb[1])
                * load<float>(post.data + to * post.nb[0] + token * post.nb[1]);
        for (i64 from = 0; from < residual.ne[1]; from++) {
            sum += load<float>(residual.data + i * residual.nb[0] + from * residual.nb[1] + token * residual.nb[2])
                    * load<float>(comb.data + to * comb.nb[0] + from * comb.nb[1] + token * comb.nb[2]);
        }
        store<float>(y.data + i * y.nb[0] + to * y.nb[1] + token * y.nb[2], sum);
    }
}
