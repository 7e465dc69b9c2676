package dev.stowage.cuda.op.rope;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.RopeSections;
import dev.stowage.tensor.Tensor;
import java.util.Locale;

/**
 * ROPE and ROPE_BACK in all modes.
 *
 * @param direction 1 or, for the inverse, -1
 */
record RopeKernel(float direction) implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        if (!(node.parameters() instanceof OpParameters.Rope rope)) {
            return OpSupport.no(node.op() + " has parameters of another op: " + node.parameters());
        }
        RopeSections sections = rope.sections();
        int pairs = RopeArguments.pairs(rope);
        return Requirements.of(node)
                .type(0, ElementType.F32, ElementType.F16, ElementType.BF16)
                .operands()
                .require(
                        rope.mode() != RopeMode.VISION || 2L * rope.dimensions() == node.dim(0),
                        "in the vision mode rotates whole rows: rows of " + node.dim(0)
                                + " elements need as many dimensions as half of them, not " + rope.dimensions())
                .require(
                        !rope.mode().usesSections() || sections.time() + sections.height() + sections.width() > 0,
                        "needs a section for time, height or width above 0")
                .require(
                        !node.hasSource(2) || node.source(2).dim(0) >= pairs,
                        "needs a frequency factor for each of the " + pairs + " pairs")
                .require(
                        node.dim(0) < Integer.MAX_VALUE && node.dim(2) < Integer.MAX_VALUE,
                        "is for fewer than 2^31 tokens, and elements of a row")
                .require(node.dim(1) * node.dim(3) < Integer.MAX_VALUE, "is for fewer than 2^31 rows of a token")
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        BoundTensor a = step.operand(0);
        int pairs = RopeArguments.pairs((OpParameters.Rope) step.parameters());
        Launch launch = Launch.of("rope_" + a.type().name().toLowerCase(Locale.ROOT))
                .view(a)
                .view(step.result());
        out.add(RopeArguments.add(RopeArguments.grid(launch, a, pairs, out.gpu()), step, direction));
    }
}
