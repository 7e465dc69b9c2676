package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.tensor.ElementType;
import java.util.Optional;

/** A matrix of weights in any layout of which rows of f16 or bf16 can be made: the first factor of {@link Gemm}. */
public interface HalfWeights {

    /** The type of the weights, which says how tokens are {@linkplain DotRounding rounded}. */
    ElementType type();

    long rows();

    /** The rows where they are, if the tensor cores of that GPU can read them so. */
    default Optional<HalfMatrix> inPlace(Gpu gpu) {
        return Optional.empty();
    }

    /** Adds the launches that write the rows from {@code first} on, as many as the target has. */
    void write(LaunchSink out, long first, HalfMatrix target);
}
