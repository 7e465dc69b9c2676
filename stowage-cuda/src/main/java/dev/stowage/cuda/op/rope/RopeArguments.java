package dev.stowage.cuda.op.rope;

import dev.stowage.cuda.op.Memory;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.device.Step;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeFrequencies;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.RopeSections;

/** The arguments and grids that all rope kernels have in common. */
final class RopeArguments {

    private static final int POSITIONS = 1;
    private static final int FACTORS = 2;
    private static final int WARP = 32;
    private static final int THREADS = 256;
    private static final int MOST_ROWS = 64;
    /** So many blocks for each multiprocessor keep it busy; more would only compute the same angles again. */
    private static final int BLOCKS = 8;

    private RopeArguments() {}

    /** How many pairs of each row are rotated. */
    static int pairs(OpParameters.Rope rope) {
        return rope.mode() == RopeMode.VISION ? rope.dimensions() : rope.dimensions() / 2;
    }

    /**
     * Sets grid and block: a block for each token and part of its rows. A thread computes the angle of a pair once and
     * rotates it in as many rows as there are for it.
     */
    static Launch grid(Launch launch, BoundTensor a, int pairs, Gpu gpu) {
        long items = a.dim(0) - pairs;
        int across = Math.clamp(Math.ceilDiv(items, WARP) * WARP, WARP, THREADS);
        long rows = a.dim(1) * a.dim(3);
        int down = Math.clamp(rows, 1, THREADS / across);
        long parts = Math.ceilDiv(rows, down);
        long useful = Math.max(1, (long) BLOCKS * gpu.multiprocessors() / Math.max(1, a.dim(2)));
        return launch.grid(a.dim(2), Math.min(Math.min(parts, useful), MOST_ROWS), 1)
                .block(across, down);
    }

    /** Adds the arguments after those for the operand and the result. */
    static Launch add(Launch launch, Step step, float direction) {
        OpParameters.Rope rope = (OpParameters.Rope) step.parameters();
        RopeFrequencies frequencies = rope.frequencies();
        RopeSections sections = rope.sections();
        launch.pointer(step.operand(POSITIONS)).i64(step.operand(POSITIONS).stride(0));
        if (step.hasOperand(FACTORS)) {
            BoundTensor factors = step.operand(FACTORS);
            launch.pointer(factors).i64(factors.stride(0)).i32(Memory.isConstant(factors) ? 1 : 0);
        } else {
            launch.pointer(0).i64(0).i32(1);
        }
        double logStep = -2.0 / rope.dimensions() * Math.log(frequencies.base()) / Math.log(2);
        return launch.i32(rope.mode().code())
                .i32(pairs(rope))
                .i32(rope.offset())
                .i32(sections.time())
                .i32(sections.height())
                .i32(sections.width())
                .i32(sections.extra())
                .i64(Double.doubleToRawLongBits(logStep))
                .f32(frequencies.scale())
                .f32(frequencies.extensionFactor())
                .f32((float) Math.max(0, Math.floor(pairThatTurns(rope, frequencies.betaFast()))))
                .f32((float) Math.min(rope.dimensions() - 1, Math.ceil(pairThatTurns(rope, frequencies.betaSlow()))))
                .f32((float) magnitude(frequencies))
                .f32(direction)
                .dependent();
    }

    /** What the rotated pairs are multiplied with: YaRN compensates for the scaling of the angles. */
    private static double magnitude(RopeFrequencies frequencies) {
        double correction = frequencies.extensionFactor() == 0 ? 1 : 1 + 0.1 * Math.log(1.0 / frequencies.scale());
        return frequencies.attentionFactor() * correction;
    }

    /** The pair, as a fraction, that rotates that many times within the original context; 0 where YaRN is off. */
    private static double pairThatTurns(OpParameters.Rope rope, double times) {
        RopeFrequencies frequencies = rope.frequencies();
        if (frequencies.extensionFactor() == 0) {
            return 0;
        }
        return rope.dimensions()
                * Math.log(frequencies.originalContext() / (times * 2 * Math.PI))
                / (2 * Math.log(frequencies.base()));
    }
}
