package dev.stowage.reference;

import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.attention.AttentionKernels;
import dev.stowage.reference.kernel.attention.PositionKernels;
import dev.stowage.reference.kernel.copy.CopyKernels;
import dev.stowage.reference.kernel.copy.GeneratorKernels;
import dev.stowage.reference.kernel.copy.RowKernels;
import dev.stowage.reference.kernel.elementwise.ElementwiseKernels;
import dev.stowage.reference.kernel.elementwise.GluKernels;
import dev.stowage.reference.kernel.elementwise.UnaryKernels;
import dev.stowage.reference.kernel.matrix.MatrixKernels;
import dev.stowage.reference.kernel.norm.NormKernels;
import dev.stowage.reference.kernel.norm.ReductionKernels;
import dev.stowage.reference.kernel.sequence.HyperConnectionKernels;
import dev.stowage.reference.kernel.sequence.RecurrentKernels;
import dev.stowage.reference.kernel.window.ConvolutionKernels;
import dev.stowage.reference.kernel.window.ImageKernels;
import dev.stowage.reference.kernel.window.WindowKernels;
import dev.stowage.tensor.Op;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** Finds the kernel of an op. Each family of ops adds its own. */
final class KernelRegistry {

    private static final Map<Op, Kernel> BY_OP = new EnumMap<>(Op.class);

    static {
        ElementwiseKernels.addTo(BY_OP);
        UnaryKernels.addTo(BY_OP);
        GluKernels.addTo(BY_OP);
        NormKernels.addTo(BY_OP);
        ReductionKernels.addTo(BY_OP);
        RowKernels.addTo(BY_OP);
        CopyKernels.addTo(BY_OP);
        GeneratorKernels.addTo(BY_OP);
        CustomKernels.addTo(BY_OP);
        MatrixKernels.addTo(BY_OP);
        AttentionKernels.addTo(BY_OP);
        PositionKernels.addTo(BY_OP);
        WindowKernels.addTo(BY_OP);
        ConvolutionKernels.addTo(BY_OP);
        ImageKernels.addTo(BY_OP);
        RecurrentKernels.addTo(BY_OP);
        HyperConnectionKernels.addTo(BY_OP);
    }

    private KernelRegistry() {}

    static Optional<Kernel> of(Op op) {
        return Optional.ofNullable(BY_OP.get(op));
    }
}
