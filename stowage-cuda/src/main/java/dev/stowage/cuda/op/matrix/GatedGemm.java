package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.OpParameters;
import java.util.Optional;

/**
 * Two products of the same many tokens and the gated linear unit of their results in one launch of {@code gemm_sm90.cu},
 * which stores halves for the product that reads it. Nothing is written as floats:
 *
 * <pre>
 *   tile of weights   | rows of the gate | rows of the other matrix |
 *   sums of a thread  | gate             | up                       |   ──►  halves of unit(gate, up)
 * </pre>
 *
 * @param function the gated unit
 * @param rounding how the product that reads the result rounds it
 */
public record GatedGemm(HalfWeights gate, HalfWeights up, GluFunction function, DotRounding rounding) {

    /** What the rows of a slice of weights are a multiple of. */
    private static final int EDGE = 128;

    /** Whether there is a kernel: on Hopper, for the common functions and what tiles can round by themselves. */
    public static boolean fits(
            Gpu gpu, HalfWeights gate, HalfWeights up, OpParameters parameters, DotRounding rounding) {
        return gpu.isHopper()
                && parameters instanceof OpParameters.Glu(GluFunction function, boolean _)
                && (function == GluFunction.SWIGLU || function == GluFunction.GEGLU)
                && gate.rows() == up.rows()
                && DotRounding.of(gate.type()) == DotRounding.of(up.type())
                && HalfType.of(gate.type()) == rounding.halfType()
                && rounding != DotRounding.BLOCKS_OF_256
                && rounding != DotRounding.NONE;
    }

    /** The product of matrices and a function for which there is a kernel. */
    public static GatedGemm of(HalfWeights gate, HalfWeights up, OpParameters parameters, DotRounding rounding) {
        return new GatedGemm(gate, up, ((OpParameters.Glu) parameters).function(), rounding);
    }

    /**
     * Adds the launches.
     *
     * @param target a row for each token, as long as the matrices have rows
     */
    public void launch(LaunchSink out, HalfMatrix tokens, HalfMatrix target) {
        Optional<HalfMatrix> gateInPlace = gate.inPlace(out.gpu());
        Optional<HalfMatrix> upInPlace = up.inPlace(out.gpu());
        if (gateInPlace.isPresent()
                && upInPlace.isPresent()
                && gateInPlace.get().order() == upInPlace.get().order()) {
            launch(out, gateInPlace.get(), upInPlace.get(), tokens, target);
            return;
        }
        launchSlices(out, tokens, target);
    }

    private void launchSlices(LaunchSink out, HalfMatrix tokens, HalfMatrix target) {
        long row = 2 * HalfMatrix.bytes(1, tokens.depth());
        long slice = Math.max(EDGE, HalfProduct.MAX_SCRATCH / row / EDGE * EDGE);
        for (long first = 0; first < gate.rows(); first += slice) {
            long count = Math.min(slice, gate.rows() - first);
            HalfMatrix gateRows = HalfMatrix.allocate(out, count, tokens.depth(), tokens.type());
            HalfMatrix upRows = HalfMatrix.allocate(out, count, tokens.depth(), tokens.type());
            gate.write(out, first, gateRows);
            up.write(out, first, upRows);
            launch(out, gateRows, upRows, tokens, target.fromColumn(first));
        }
    }

    private void launch(LaunchSink out, HalfMatrix gateRows, HalfMatrix upRows, HalfMatrix tokens, HalfMatrix target) {
        HopperTiles tiles =
                HopperTiles.of(out.gpu(), Math.ceilDiv(tokens.rows(), HopperTiles.TOKENS), 2 * gateRows.rows());
        out.add(tiles.launch("gated_", tokens.type())
                .argument(tokens.boxes(HopperTiles.TOKENS))
                .argument(gateRows.boxes(tiles.boxRows()))
                .argument(upRows.boxes(tiles.boxRows()))
                .i32(gateRows.isInUnits() ? 1 : 0)
                .i32(function == GluFunction.GEGLU ? 1 : 0)
                .i32(rounding.isBlocks() ? 1 : 0)
                .argument(target.base())
                .i64(target.rowStride())
                .i32(tokens.rows())
                .i32(gateRows.rows())
                .i32(tokens.depth()));
    }
}
