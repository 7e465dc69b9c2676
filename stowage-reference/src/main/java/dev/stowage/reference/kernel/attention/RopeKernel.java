package dev.stowage.reference.kernel.attention;

import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.reference.kernel.RestrictedKernel;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.RopeSections;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;

/**
 * {@link Op#ROPE} and {@link Op#ROPE_BACK}: pairs of elements of a row, taken as complex numbers, times {@code
 * magnitude * e^(i * angle)}, or {@code e^(-i * angle)} for the inverse. All other elements stay as they are.
 */
final class RopeKernel implements Kernel {

    private final int direction;

    private RopeKernel(int direction) {
        this.direction = direction;
    }

    static RopeKernel forwards() {
        return new RopeKernel(1);
    }

    static RopeKernel backwards() {
        return new RopeKernel(-1);
    }

    @Override
    public OpSupport supports(Tensor node) {
        if (!(node.parameters() instanceof OpParameters.Rope rope)) {
            return RestrictedKernel.foreignParameters(node);
        }
        RopeSections sections = rope.sections();
        OpSupport type = RestrictedKernel.holdsFractions(node);
        if (!type.isSupported()) {
            return type;
        }
        if (rope.mode() == RopeMode.VISION && 2L * rope.dimensions() != node.dim(0)) {
            return OpSupport.no("the vision mode rotates whole rows: rows of " + node.dim(0)
                    + " elements need as many dimensions as half of them, not " + rope.dimensions());
        }
        if (rope.mode().usesSections() && sections.time() + sections.height() + sections.width() == 0) {
            return OpSupport.no("one of the sections for time, height and width must be above 0");
        }
        return RestrictedKernel.require(
                !node.hasSource(2) || node.source(2).dim(0) >= pairs(rope),
                "there must be a frequency factor for each of the " + pairs(rope) + " pairs");
    }

    @Override
    public void compute(Step step) {
        OpParameters.Rope rope = Parameters.of(step, OpParameters.Rope.class);
        Elements a = Elements.of(step.operand(0));
        Elements positions = Elements.of(step.operand(1));
        Elements result = Elements.of(step.result());
        RopeAngles angles = new RopeAngles(rope, factors(step, pairs(rope)));
        long tokens = result.shape().d2();
        for (long token = 0; token < tokens; token++) {
            long first = token;
            double[] pairAngles = angles.of(axis -> positions.getLong(first + axis * tokens, 0, 0, 0));
            for (long batch = 0; batch < result.shape().d3(); batch++) {
                for (long head = 0; head < result.shape().d1(); head++) {
                    double[] row = a.row(head, token, batch);
                    rotate(row, rope, pairAngles, angles.magnitude());
                    result.setRow(head, token, batch, row);
                }
            }
        }
    }

    private static int pairs(OpParameters.Rope rope) {
        return rope.mode() == RopeMode.VISION ? rope.dimensions() : rope.dimensions() / 2;
    }

    private static double[] factors(Step step, int pairs) {
        double[] factors = new double[pairs];
        Arrays.fill(factors, 1);
        if (step.hasOperand(2)) {
            Elements given = Elements.of(step.operand(2));
            Arrays.setAll(factors, pair -> given.get(pair, 0, 0, 0));
        }
        return factors;
    }

    private void rotate(double[] row, OpParameters.Rope rope, double[] pairAngles, double magnitude) {
        for (int pair = 0; pair < pairAngles.length; pair++) {
            int first = rope.offset() + (rope.mode() == RopeMode.NORMAL ? 2 * pair : pair);
            int second = first + (rope.mode() == RopeMode.NORMAL ? 1 : pairAngles.length);
            double cos = Math.cos(pairAngles[pair]) * magnitude;
            double sin = Math.sin(pairAngles[pair]) * magnitude * direction;
            double x = row[first];
            double y = row[second];
            row[first] = x * cos - y * sin;
            row[second] = x * sin + y * cos;
        }
    }
}
