package dev.stowage.reference.kernel.attention;

import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeFrequencies;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.RopeSections;
import java.util.function.LongUnaryOperator;

/**
 * By how much {@link RopeKernel} rotates each pair of a row. Pair {@code i} rotates by {@code position * base^(-2i /
 * dimensions)}, divided by its frequency factor, then scaled; YaRN mixes the scaled angle with the one before scaling.
 * In the modes with sections a pair belongs to one of four axes, each with a position of its own.
 */
final class RopeAngles {

    private static final int TIME = 0;
    private static final int HEIGHT = 1;
    private static final int WIDTH = 2;
    private static final int EXTRA = 3;

    private final OpParameters.Rope rope;
    private final double[] factors;

    /** Angles for as many pairs as there are frequency factors. */
    RopeAngles(OpParameters.Rope rope, double[] factors) {
        this.rope = rope;
        this.factors = factors;
    }

    /** The angle of each pair for a token; {@code position} gives its position along an axis, 0 to 3. */
    double[] of(LongUnaryOperator position) {
        double step = Math.pow(rope.frequencies().base(), -2.0 / rope.dimensions());
        double[] angles = new double[factors.length];
        int[] exponents = new int[4];
        for (int pair = 0; pair < angles.length; pair++) {
            restart(exponents, pair);
            int axis = axisOf(pair);
            double angle = position.applyAsLong(axis) * Math.pow(step, exponents[axis]) / factors[pair];
            angles[pair] = extended(angle, pair);
            for (int other = TIME; other <= EXTRA; other++) {
                exponents[other]++;
            }
        }
        return angles;
    }

    /** What the turned pairs are multiplied with: YaRN makes up for the scaling of the angles. */
    double magnitude() {
        RopeFrequencies frequencies = rope.frequencies();
        double correction = frequencies.extensionFactor() == 0 ? 1 : 1 + 0.1 * Math.log(1.0 / frequencies.scale());
        return frequencies.attentionFactor() * correction;
    }

    /** The angle scaled, or where YaRN extends between scaled and not: the faster a pair rotates, the less scaled. */
    private double extended(double angle, int pair) {
        RopeFrequencies frequencies = rope.frequencies();
        double scaled = frequencies.scale() * angle;
        if (frequencies.extensionFactor() == 0) {
            return scaled;
        }
        double low = Math.max(0, Math.floor(pairThatTurns(frequencies.betaFast())));
        double high = Math.min(rope.dimensions() - 1, Math.ceil(pairThatTurns(frequencies.betaSlow())));
        double ramp = (pair - low) / Math.max(0.001, high - low);
        double mix = (1 - Math.clamp(ramp, 0.0, 1.0)) * frequencies.extensionFactor();
        return scaled * (1 - mix) + angle * mix;
    }

    /** The pair, as a fraction, that rotates that many times within the original context. */
    private double pairThatTurns(double times) {
        RopeFrequencies frequencies = rope.frequencies();
        return rope.dimensions()
                * Math.log(frequencies.originalContext() / (times * 2 * Math.PI))
                / (2 * Math.log(frequencies.base()));
    }

    /** For images the angles of an axis begin anew with its section; of two that begin together only the first does. */
    private void restart(int[] exponents, int pair) {
        if (rope.mode() != RopeMode.VISION) {
            return;
        }
        RopeSections sections = rope.sections();
        int[] starts = {
            0,
            sections.time(),
            sections.time() + sections.height(),
            sections.time() + sections.height() + sections.width()
        };
        int sector = pair % pairsInSections();
        for (int axis = TIME; axis <= EXTRA; axis++) {
            if (sector == starts[axis]) {
                exponents[axis] = 0;
                return;
            }
        }
    }

    private int axisOf(int pair) {
        return switch (rope.mode()) {
            case NORMAL, NEOX -> TIME;
            case MROPE, VISION -> axisInTurn(pair % pairsInSections());
            case IMROPE -> axisInterleaved(pair % pairsInSections());
        };
    }

    private int axisInTurn(int sector) {
        RopeSections sections = rope.sections();
        int height = sections.time();
        int width = height + sections.height();
        int extra = width + sections.width();
        return sector < height ? TIME : sector < width ? HEIGHT : sector < extra ? WIDTH : EXTRA;
    }

    private int axisInterleaved(int sector) {
        RopeSections sections = rope.sections();
        int axis = sector % 3;
        int pairs = switch (axis) {
            case TIME -> sections.time();
            case HEIGHT -> sections.height();
            default -> sections.width();
        };
        return sector < 3 * pairs ? axis : EXTRA;
    }

    private int pairsInSections() {
        RopeSections sections = rope.sections();
        return sections.time() + sections.height() + sections.width() + sections.extra();
    }
}
