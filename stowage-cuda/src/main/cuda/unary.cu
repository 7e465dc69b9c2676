// Functions of one element. All have up to four coefficients, p, which most do not use.
#include "strided.cuh"

// As dev.stowage.cuda.op.elementwise.MapFunction numbers them.
enum MapFunction {
    MAP_ABS, MAP_SGN, MAP_NEG, MAP_STEP, MAP_TANH, MAP_ELU, MAP_RELU, MAP_SIGMOID, MAP_GELU, MAP_GELU_QUICK, MAP_SILU,
    MAP_HARDSWISH, MAP_HARDSIGMOID, MAP_EXP, MAP_EXPM1, MAP_SOFTPLUS, MAP_GELU_ERF, MAP_XIELU, MAP_FLOOR, MAP_CEIL,
    MAP_ROUND, MAP_TRUNC, MAP_SQR, MAP_SQRT, MAP_LOG, MAP_SIN, MAP_COS, MAP_SCALE, MAP_CLAMP, MAP_LEAKY_RELU, MAP_FILL
};

DEVICE float hardsigmoid(float x) {
    float line = (x + 3) / 6;
    return line > 0 ? (line < 1 ? line : 1) : 0;
}

// What becomes of NaN is part of the definition: comparisons are written so that it takes the branch it must.
DEVICE float map(int function, float x, float4 p) {
    switch (function) {
    case MAP_ABS: return fabsf(x);
    case MAP_SGN: return x > 0 ? 1 : x < 0 ? -1 : 0;
    case MAP_NEG: return -x;
    case MAP_STEP: return x > 0 ? 1 : 0;
    case MAP_TANH: return tanhf(x);
    case MAP_ELU: return x > 0 ? x : expm1f(x);
    case MAP_RELU: return x > 0 ? x : 0;
    case MAP_SIGMOID: return 1 / (1 + expf(-x));
    case MAP_GELU:
        if (x <= -10) return 0;
        return x >= 10 ? x : 0.5f * x * (1 + tanhf(0.79788456080286535588f * x * (1 + 0.044715f * x * x)));
    case MAP_GELU_QUICK: return x * (1 / (1 + expf(-1.702f * x)));
    case MAP_SILU: return x / (1 + expf(-x));
    case MAP_HARDSWISH: return x * hardsigmoid(x);
    case MAP_HARDSIGMOID: return hardsigmoid(x);
    case MAP_EXP: return expf(x);
    case MAP_EXPM1: return expm1f(x);
    case MAP_SOFTPLUS: return x > 20 ? x : log1pf(expf(x));
    case MAP_GELU_ERF: return 0.5f * x * erfcf(-x * 0.70710678118654752440f);
    case MAP_XIELU: { // p: alpha of negative x, alpha of positive x, beta, epsilon
        if (x > 0) return p.y * x * x + p.z * x;
        return (expm1f(x < p.w ? x : p.w) - x) * p.x + p.z * x;
    }
    case MAP_FLOOR: return floorf(x);
    case MAP_CEIL: return ceilf(x);
    case MAP_ROUND: return roundf(x);
    case MAP_TRUNC: return truncf(x);
    case MAP_SQR: return x * x;
    case MAP_SQRT: return sqrtf(x);
    case MAP_LOG: return logf(x);
    case MAP_SIN: return sinf(x);
    case MAP_COS: return cosf(x);
    case MAP_SCALE: return x * p.x + p.y;
    case MAP_CLAMP: {
        float bounded = x < p.y ? x : p.y;
        return bounded > p.x ? bounded : p.x;
    }
    case MAP_LEAKY_RELU: return x > 0 ? x : x < 0 ? x * p.x : 0;
    default: return p.x;
    }
}

// Any strides; f32, f16 or bf16.
KERNEL map_strided(int function, int ta, int tr, float p0, float p1, float p2, float p3, View a, View r) {
    begin_dependent();
    float4 p = make_float4(p0, p1, p2, p3);
    for_each_row(r.ne, [&](i64 i1, i64 i2, i64 i3) {
        const u8 *pa = row_of(a, i1, i2, i3);
        u8 *pr = row_of(r, i1, i2, i3);
        for_each_column(r.ne[0], [&](i64 i0) {
            store_float(pr + i0 * r.nb[0], tr, map(function, load_float(pa + i0 * a.nb[0], ta), p));
        });
    });
}

// Of one type, without gaps in a row, rows aligned to four elements.
KERNEL map_rows(int function, int type, float p0, float p1, float p2, float p3, View a, View r) {
    begin_dependent();
    float4 p = make_float4(p0, p1, p2, p3);
    i64 size = type == TYPE_F32 ? 4 : 2;
    for_each_row(r.ne, [&](i64 i1, i64 i2, i64 i3) {
        const u8 *pa = row_of(a, i1, i2, i3);
        u8 *pr = row_of(r, i1, i2, i3);
        for_each_four(
            r.ne[0],
            [&](i64 i0) {
                float4 x = load_float4(pa + i0 * size, type);
                x = make_float4(map(function, x.x, p), map(function, x.y, p), map(function, x.z, p),
                                map(function, x.w, p));
                store_float4(pr + i0 * size, type, x);
            },
            [&](i64 i0) { store_float(pr + i0 * size, type, map(function, load_float(pa + i0 * size, type), p)); });
    });
}
