// How units reach the registers of a warp on sm_90: through a ring in shared memory that the copy engine fills.
#pragma once
#include "unit_gemv.cuh"

// Of one token, fewer warps with more registers and deeper rings; several tokens have more to compute.
const int TOKEN_WARPS = 12;
const int RING_WARPS = 16;
// Of one token whose activations are quantised: rows of most models are then the same number of units for every warp.
const int READY_WARPS = 16;
const int RING_STAGES = 8;
// What createpolicy gives for lines that are to leave L2 first.
const u64 EVICT_FIRST = 0x12f0000000000000ull;

// A ring of a warp's own: lane 0 asks for copies, each of which completes the barrier of its stage. A stage is asked for
// again when all lanes have multiplied its unit: registers for a whole unit would be too many.
template <int TYPE, int WARPS, int KIND> struct UnitRing {
    const UnitGemv &p;
    const UnitRow &shape;
    const u8 *ring;
    u32 barriers, target;
    int lane;
    // The stage that is taken next, and the parity of its barrier.
    int stage, parity;
    UnitCursor<TYPE, KIND> fill;

    DEVICE int sharedBytes(int warps, int stages) { return warps * stages * UnitFormat<TYPE>::BYTES; }

    METHOD UnitRing(const UnitGemv &p_, const UnitRow &shape_, const u8 *shared, int warp, int lane_)
        : p(p_), shape(shape_), lane(lane_), stage(0), parity(0) {
        __shared__ __align__(8) u64 all[WARPS * RING_STAGES];
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
        fill.advance(p, shape);
    }
    METHOD void begin(const UnitCursor<TYPE, KIND> &from, int count) {
        fill = from;
        fill.at(p, shape);
#pragma unroll 1
        for (int i = 0; i < p.stages && i < count; i++) ask(i);
        // The next launch may start now: its copies come after these.
        pdl_launch_dependents();
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
