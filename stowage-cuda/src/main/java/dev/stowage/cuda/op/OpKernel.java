package dev.stowage.cuda.op;

import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.Tensor;

/** Turns nodes of one op into launches. Stateless. */
public interface OpKernel {

    /** Whether it computes a node with operands of these types, shapes and strides; if not, why. */
    OpSupport supports(Tensor node, Gpu gpu);

    /** Adds the launches of a supported node whose result is not empty. */
    void launch(Step step, LaunchSink out);
}
