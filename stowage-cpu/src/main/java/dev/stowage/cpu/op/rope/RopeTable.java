package dev.stowage.cpu.op.rope;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.attention.RopeKernels;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeMode;
import org.jspecify.annotations.Nullable;

/**
 * The cosines and sines that a rotation needs: a row of each for every token, computed once and used by all heads. As
 * queries and keys of all layers rotate by the same angles, a graph mostly has one table in all.
 *
 * <pre>
 *   halves       [ cos 0, cos 1, cos 2, ... ]          [ sin 0, sin 1, sin 2, ... ]
 *   neighbours   [ cos 0, cos 0, cos 1, cos 1, ... ]   [ -sin 0, sin 0, -sin 1, sin 1, ... ]
 * </pre>
 */
final class RopeTable {

    private static final int POSITIONS = 1;
    private static final int FACTORS = 2;

    private final Scratch rows;
    private final int entries;

    private RopeTable(Scratch rows, int entries) {
        this.rows = rows;
        this.entries = entries;
    }

    /** The table of a rotation. */
    static RopeTable of(NodeBuilder node) {
        OpParameters.Rope rope = node.parameters(OpParameters.Rope.class);
        RopePairFrequencies angles = new RopePairFrequencies(rope);
        int entries = angles.pairs() * (rope.mode() == RopeMode.NORMAL ? 2 : 1);
        long bytes = node.result().d2 * rowBytes(entries);
        Scratch rows = node.derived(
                POSITIONS, form(node, rope), Math.max(bytes, 1), target -> new Fill(node, angles, entries, target));
        return new RopeTable(rows, entries);
    }

    /** Factors that are not weights may change between two nodes, so the table is for one of them only. */
    private static String form(NodeBuilder node, OpParameters.Rope rope) {
        String factors = "";
        if (node.has(FACTORS)) {
            Operand given = node.operand(FACTORS);
            factors = given.tensor.isWeight()
                    ? " / " + given.address
                    : " in node " + node.step().node();
        }
        return node.step().op() + " " + rope + factors;
    }

    private static long rowBytes(int entries) {
        return 2L * entries * Float.BYTES;
    }

    /** The cosines of a token. */
    long cosines(long token) {
        return rows.address() + token * rowBytes(entries);
    }

    /** The sines of a token. */
    long sines(long token) {
        return cosines(token) + (long) entries * Float.BYTES;
    }

    /** How many cosines a token has. */
    int entries() {
        return entries;
    }

    private static final class Fill extends RangeTask {

        private static final double NANOS_PER_ENTRY = 1;

        private final RopePairFrequencies angles;
        private final Scratch target;
        private final Operand positions;
        private final @Nullable Operand factors;
        private final int entries;
        private final int perPair;
        private final int axes;
        private final long tokens;
        private final double magnitude;
        private final double[] signs;
        private final double[][] anglesByThread;
        private final double[][] values;

        Fill(NodeBuilder node, RopePairFrequencies angles, int entries, Scratch target) {
            super(node.result().d2, entries * NANOS_PER_ENTRY, node.threads());
            RopeMode mode = node.parameters(OpParameters.Rope.class).mode();
            this.angles = angles;
            this.target = target;
            this.positions = node.operand(POSITIONS);
            this.factors = node.has(FACTORS) ? node.operand(FACTORS) : null;
            this.entries = entries;
            this.perPair = mode == RopeMode.NORMAL ? 2 : 1;
            this.axes = mode.usesSections() ? 4 : 1;
            this.tokens = node.result().d2;
            this.magnitude = angles.magnitude();
            this.signs = new double[entries];
            int direction = node.step().op() == Op.ROPE_BACK ? -1 : 1;
            for (int i = 0; i < entries; i++) {
                signs[i] = magnitude * (perPair == 2 && i % 2 == 0 ? -direction : direction);
            }
            this.anglesByThread = new double[node.threads()][entries];
            this.values = new double[node.threads()][2 * entries];
        }

        @Override
        protected void run(long first, long end, int thread) {
            double[] angle = anglesByThread[thread];
            double fastest = axes > 1 ? 0 : speeds(angle);
            for (long token = first; token < end; token++) {
                long cosines = target.address() + token * rowBytes(entries);
                long sines = cosines + (long) entries * Float.BYTES;
                double position = 1;
                if (axes > 1) {
                    fastest = angles(angle, token);
                } else {
                    position = position(token);
                }
                if (fastest * Math.abs(position) <= RopeKernels.FAR) {
                    RopeKernels.cosinesAndSines(angle, position, magnitude, signs, values[thread], cosines, sines);
                } else {
                    angles(angle, token);
                    RopeKernels.farCosinesAndSines(angle, magnitude, signs, values[thread], cosines, sines);
                    fastest = axes > 1 ? 0 : speeds(angle);
                }
            }
        }

        /** How fast the entries rotate; the return value is the fastest, NaN if one of them is. */
        private double speeds(double[] angle) {
            double fastest = 0;
            for (int i = 0; i < entries; i++) {
                int pair = i / perPair;
                angle[i] = angles.speed(pair) / factor(pair);
                fastest = Math.max(fastest, Math.abs(angle[i]));
            }
            return fastest;
        }

        /** By how much the entries rotate for a token, each at the position of its axis; the return value is the most. */
        private double angles(double[] angle, long token) {
            double most = 0;
            for (int i = 0; i < entries; i++) {
                int pair = i / perPair;
                angle[i] = angles.angle(pair, position(token + angles.axis(pair) * tokens), factor(pair));
                most = Math.max(most, Math.abs(angle[i]));
            }
            return most;
        }

        private double factor(int pair) {
            return factors == null ? 1 : Memory.getFloat(factors.address + pair * factors.s0);
        }

        private int position(long at) {
            return Memory.getInt(positions.address + at * positions.s0);
        }
    }
}
