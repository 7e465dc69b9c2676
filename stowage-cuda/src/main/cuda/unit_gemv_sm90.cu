// Products of units with 1 to 4 vectors on sm_90: the copy engine fills a ring of units for every warp, and begins before
// the launch before this one has ended.
#include "unit_gemv.cuh"

const int RING_WARPS = 16;
const int RING_STAGES = 8;
// What createpolicy gives for lines that are to leave L2 first.
const u64 EVICT_FIRST = 0x12f0000000000000ull;

// A ring of a warp's own: lane 0 asks for copies, each of which completes the barrier of its stage. A stage is asked for
// again when all lanes have multiplied its unit: registers for a whole unit would be too many.
template <int TYPE> struct UnitRing {
    const UnitGemv &p;
    const UnitRow &shape;
    i64 expertOffset;
    const u8 *ring;
    u32 barriers, target;
    int lane;
    // The stage that is taken next, and the parity of its barrier.
    int stage, parity;
    UnitCursor<TYPE> fill;

    DEVICE int sharedBytes(int warps, int stages) { return warps * stages * UnitFormat<TYPE>::BYTES; }

    METHOD UnitRing(const UnitGemv &p_, const UnitRow &shape_, i64 expertOffset_, const u8 *shared, int warp, int lane_)
        : p(p_), shape(shape_), expertOffset(expertOffset_), lane(lane_), stage(0), parity(0) {
        __shared__ __align__(8) u64 all[RING_WARPS * RING_STAGES];
        ring = shared + sharedBytes(warp, p.stages);
        target = shared_address(ring);
        barriers = shared_address(all + warp * RING_STAGES);
        if (lane < p.stages) barrier_init(barriers + lane * 8, 1);
        barrier_init_fence();
        __syncwarp();
    }
    METHOD void ask(int to) {
        if (lane == 0) {
            u32 bytes = fill.bytes(shape);
            barrier_expect(barriers + to * 8, bytes);
            bulk_copy(target + to * UnitFormat<TYPE>::BYTES, fill.address, bytes, barriers + to * 8, EVICT_FIRST);
        }
        fill.advance(p, shape, expertOffset);
    }
    METHOD void begin(const UnitCursor<TYPE> &from, int count) {
        fill = from;
        fill.at(p, shape, expertOffset);
#pragma unroll 1
        for (int i = 0; i < p.stages && i < count; i++) ask(i);
    }
    METHOD void take(UnitWeights<TYPE> &w, int lanes, int) {
        barrier_wait(barriers + stage * 8, parity);
        const u8 *unit = ring + stage * UnitFormat<TYPE>::BYTES;
        // Lanes past the last load something within the stage, and do not use it.
        if (lanes == UNIT_LANES) w.template load<SharedUnit>(unit, UNIT_LANES, lane);
        else w.template load<SharedUnit>(unit, lanes, min(lane, lanes - 1));
    }
    METHOD void release(int left) {
        __syncwarp();
        if (left > p.stages) ask(stage);
        if (++stage == p.stages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

#define UNIT_GEMV_RING(name, TYPE, TOKENS)                                                                                 \
    extern "C" __global__ void __launch_bounds__(RING_WARPS * 32, TOKENS == 1 ? 2 : 1)                                                       \
            unit_gemv_ring_##name##_x##TOKENS(UNIT_GEMV_PARAMETERS) {                                                      \
        extern __shared__ __align__(128) u8 shared[];                                                                      \
        const UnitGemv p = UNIT_GEMV_ARGUMENTS;                                                                            \
        unit_gemv<TYPE, TOKENS, RING_WARPS, UnitRing<TYPE>>(p, shared);                                                    \
    }
#define UNIT_GEMV_RINGS(name, TYPE) UNIT_GEMV_RING(name, TYPE, 1) UNIT_GEMV_RING(name, TYPE, 2) UNIT_GEMV_RING(name, TYPE, 4)

UNIT_GEMV_RINGS(q4_0, TYPE_Q4_0)
UNIT_GEMV_RINGS(q8_0, TYPE_Q8_0)
UNIT_GEMV_RINGS(q4_K, TYPE_Q4_K)
UNIT_GEMV_RINGS(q5_K, TYPE_Q5_K)
UNIT_GEMV_RINGS(q6_K, TYPE_Q6_K)
UNIT_GEMV_RINGS(f16, TYPE_F16)
UNIT_GEMV_RINGS(bf16, TYPE_BF16)
