package dev.stowage.cuda.op.sequence;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;

/** DSV4_HC_COMB, DSV4_HC_PRE and DSV4_HC_POST. */
enum HyperConnectionKernel implements OpKernel {
    /** A thread for each token. */
    COMB("hc_comb_f32") {
        @Override
        Launch grid(Launch launch, Shape shape) {
            return launch.grid(Math.ceilDiv(shape.d2(), THREADS));
        }
    },
    /** A thread for each element of a token. */
    PRE("hc_pre_f32") {
        @Override
        Launch grid(Launch launch, Shape shape) {
            return launch.grid(Math.ceilDiv(shape.d0(), THREADS), Math.min(shape.d1(), MOST_BLOCKS), 1);
        }
    },
    /** A thread for each element of each stream of a token. */
    POST("hc_post_f32") {
        @Override
        Launch grid(Launch launch, Shape shape) {
            return launch.grid(Math.ceilDiv(shape.d0(), THREADS), Math.min(shape.d2(), MOST_BLOCKS), shape.d1());
        }
    };

    private static final int THREADS = 128;
    private static final long MOST_BLOCKS = 65535;

    private final String kernel;

    HyperConnectionKernel(String kernel) {
        this.kernel = kernel;
    }

    /** Sets the grid for a result of that shape. */
    abstract Launch grid(Launch launch, Shape shape);

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        Requirements requirements = Requirements.of(node).operands();
        for (int slot = 0; slot < node.sourceCount(); slot++) {
            requirements.type(slot, ElementType.F32);
        }
        if (this == COMB) {
            requirements.parameters(OpParameters.HyperConnection.class);
        }
        return requirements
                .require(this != POST || node.dim(1) <= MOST_BLOCKS, "is for at most " + MOST_BLOCKS + " streams")
                .require(
                        node.dim(0) < Integer.MAX_VALUE && node.dim(2) < Integer.MAX_VALUE,
                        "is for fewer than 2^31 elements and tokens")
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        Launch launch =
                grid(Launch.of(kernel), step.result().shape()).block(THREADS).dependent();
        for (int slot = 0; slot < step.operandCount(); slot++) {
            launch.view(step.operand(slot));
        }
        launch.view(step.result());
        if (step.parameters() instanceof OpParameters.HyperConnection parameters) {
            launch.f32(parameters.epsilon()).i32(parameters.iterations());
        }
        out.add(launch);
    }
}
