package dev.stowage.cpu.op.rope;

import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeFrequencies;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.RopeSections;

/**
 * What the angles of a rotation are made of, as far as the parameters say: how fast each pair rotates with the position,
 * and along which of the four axes, for the modes that have four.
 */
final class RopePairFrequencies {

    private static final int AXES = 4;
    private static final int EXTRA = 3;

    private final OpParameters.Rope rope;
    private final int pairs;
    private final double[] powers;
    private final double[] mixes;
    private final int[] axes;

    RopePairFrequencies(OpParameters.Rope rope) {
        this.rope = rope;
        this.pairs = rope.mode() == RopeMode.VISION ? rope.dimensions() : rope.dimensions() / 2;
        this.powers = new double[pairs];
        this.mixes = new double[pairs];
        this.axes = new int[pairs];
        double step = Math.pow(rope.frequencies().base(), -2.0 / rope.dimensions());
        int[] exponents = new int[AXES];
        for (int pair = 0; pair < pairs; pair++) {
            restart(exponents, pair);
            axes[pair] = axisOf(pair);
            powers[pair] = Math.pow(step, exponents[axes[pair]]);
            mixes[pair] = mix(pair);
            for (int axis = 0; axis < AXES; axis++) {
                exponents[axis]++;
            }
        }
    }

    /** How many pairs of a row rotate. */
    int pairs() {
        return pairs;
    }

    /** By how much a pair rotates from one position to the next, before its frequency factor divides that. */
    double speed(int pair) {
        return extended(powers[pair], pair);
    }

    /**
     * By how much a pair rotates at a position, computed operation by operation as the reference does: of an angle of very
     * many rotations nothing but its last bits counts.
     */
    double angle(int pair, int position, double factor) {
        return extended(position * powers[pair] / factor, pair);
    }

    /** The axis, 0 to 3, whose position counts for a pair. */
    int axis(int pair) {
        return axes[pair];
    }

    /** What the rotated pairs are multiplied with: YaRN makes up for the scaling of the angles. */
    double magnitude() {
        RopeFrequencies frequencies = rope.frequencies();
        double correction = frequencies.extensionFactor() == 0 ? 1 : 1 + 0.1 * Math.log(1.0 / frequencies.scale());
        return frequencies.attentionFactor() * correction;
    }

    /** What the scale makes of an angle, and YaRN: the faster a pair rotates, the less scaled. */
    private double extended(double angle, int pair) {
        RopeFrequencies frequencies = rope.frequencies();
        double scaled = frequencies.scale() * angle;
        return frequencies.extensionFactor() == 0 ? scaled : scaled * (1 - mixes[pair]) + angle * mixes[pair];
    }

    /** How much of the angle before scaling YaRN takes. */
    private double mix(int pair) {
        RopeFrequencies frequencies = rope.frequencies();
        double low = Math.max(0, Math.floor(pairThatRotates(frequencies.betaFast())));
        double high = Math.min(rope.dimensions() - 1, Math.ceil(pairThatRotates(frequencies.betaSlow())));
        double ramp = (pair - low) / Math.max(0.001, high - low);
        return (1 - Math.clamp(ramp, 0.0, 1.0)) * frequencies.extensionFactor();
    }

    /** The pair, as a fraction, that rotates that many times within the original context. */
    private double pairThatRotates(double times) {
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
        int start = 0;
        int[] sizes = {sections.time(), sections.height(), sections.width(), sections.extra()};
        int sector = pair % pairsInSections();
        for (int axis = 0; axis < AXES; axis++) {
            if (sector == start) {
                exponents[axis] = 0;
                return;
            }
            start += sizes[axis];
        }
    }

    private int axisOf(int pair) {
        return switch (rope.mode()) {
            case NORMAL, NEOX -> 0;
            case MROPE, VISION -> axisInOrder(pair % pairsInSections());
            case IMROPE -> axisInterleaved(pair % pairsInSections());
        };
    }

    private int axisInOrder(int sector) {
        RopeSections sections = rope.sections();
        int height = sections.time();
        int width = height + sections.height();
        int extra = width + sections.width();
        return sector < height ? 0 : sector < width ? 1 : sector < extra ? 2 : EXTRA;
    }

    private int axisInterleaved(int sector) {
        RopeSections sections = rope.sections();
        int axis = sector % 3;
        int size = axis == 0 ? sections.time() : axis == 1 ? sections.height() : sections.width();
        return sector < 3 * size ? axis : EXTRA;
    }

    private int pairsInSections() {
        RopeSections sections = rope.sections();
        return sections.time() + sections.height() + sections.width() + sections.extra();
    }
}
