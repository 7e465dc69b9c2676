// Products of units with 1 to 4 vectors: every lane loads its weights straight into registers, one unit ahead.
#include "unit_gemv.cuh"

const int STREAM_WARPS = 8;

template <int TYPE, int KIND> struct UnitStream {
    const UnitGemv &p;
    const UnitRow &shape;
    int lane;
    UnitWeights<TYPE> next;
    UnitCursor<TYPE, KIND> cursor;

    DEVICE int sharedBytes(int, int) { return 0; }

    METHOD UnitStream(const UnitGemv &p_, const UnitRow &shape_, const u8 *, int, int lane_)
        : p(p_), shape(shape_), lane(lane_) {}

    METHOD void loadNext() {
        int lanes = cursor.step < shape.full ? UNIT_LANES : shape.tail;
        // Lanes past the last load something within the unit, and do not use it.
        next.template load<DeviceUnit>(cursor.address, lanes, min(lane, lanes - 1));
        cursor.advance(p, shape);
    }
    METHOD void begin(const UnitCursor<TYPE, KIND> &from, int count) {
        cursor = from;
        cursor.at(p, shape);
        if (count > 0) loadNext();
    }
    METHOD void take(UnitWeights<TYPE> &w, int, int left) {
        w = next;
        if (left > 1) loadNext();
    }
    METHOD void release(int) {}
};

#define UNIT_GEMV_STREAM(name, TYPE, TOKENS, KIND)                                                                         \
    extern "C" __global__ void __launch_bounds__(STREAM_WARPS * 32, TOKENS == 1 ? 2 : 1)                                   \
            unit_gemv_##name(UNIT_GEMV_PARAMETERS) {                                                                       \
        extern __shared__ __align__(128) u8 shared[];                                                                      \
        const UnitGemv p = UNIT_GEMV_ARGUMENTS;                                                                            \
        unit_gemv<TYPE, TOKENS, STREAM_WARPS, KIND, UnitStream<TYPE, KIND>>(p, shared);                                    \
    }
#define UNIT_GEMV_STREAMS(name, TYPE)                                                                                      \
    UNIT_GEMV_STREAM(name##_x1, TYPE, 1, 0)                                                                                \
    UNIT_GEMV_STREAM(name##_x2, TYPE, 2, 0)                                                                                \
    UNIT_GEMV_STREAM(name##_x4, TYPE, 4, 0)                                                                                \
    UNIT_GEMV_STREAM(name##_experts, TYPE, 1, GEMV_EXPERTS)

UNIT_GEMV_STREAMS(q4_0, TYPE_Q4_0)
UNIT_GEMV_STREAMS(q8_0, TYPE_Q8_0)
UNIT_GEMV_STREAMS(q4_K, TYPE_Q4_K)
UNIT_GEMV_STREAMS(q5_K, TYPE_Q5_K)
UNIT_GEMV_STREAMS(q6_K, TYPE_Q6_K)
UNIT_GEMV_STREAMS(f16, TYPE_F16)
UNIT_GEMV_STREAMS(bf16, TYPE_BF16)
