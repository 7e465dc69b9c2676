package dev.stowage.cpu.op;

import dev.stowage.cpu.op.attention.AttentionFamily;
import dev.stowage.cpu.op.copy.CopyFamily;
import dev.stowage.cpu.op.elementwise.ElementwiseFamily;
import dev.stowage.cpu.op.matrix.MatrixFamily;
import dev.stowage.cpu.op.norm.NormFamily;
import dev.stowage.cpu.op.reduction.ReductionFamily;
import dev.stowage.cpu.op.rope.RopeFamily;
import dev.stowage.cpu.op.sequence.SequenceFamily;
import dev.stowage.cpu.op.window.WindowFamily;
import dev.stowage.cpu.program.Fusion;
import dev.stowage.cpu.program.Fusions;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.OpKernels;
import dev.stowage.device.BackendOptions;
import dev.stowage.tensor.Op;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** All kernels and fusions. Each family of ops registers its own. */
public final class StandardKernels {

    /** The setting that switches fusions off: their names with commas between them, or {@code all}. */
    public static final String WITHOUT_FUSIONS = "without-fusions";

    private static final List<Fusion> FUSIONS = Stream.concat(
                    NormFamily.fusions().stream(), RopeFamily.fusions().stream())
            .toList();

    private StandardKernels() {}

    public static OpKernels all() {
        Map<Op, OpKernel> byOp = new EnumMap<>(Op.class);
        ElementwiseFamily.addTo(byOp);
        NormFamily.addTo(byOp);
        ReductionFamily.addTo(byOp);
        RopeFamily.addTo(byOp);
        AttentionFamily.addTo(byOp);
        CopyFamily.addTo(byOp);
        MatrixFamily.addTo(byOp);
        SequenceFamily.addTo(byOp);
        WindowFamily.addTo(byOp);
        CustomOpKernel.addTo(byOp);
        return new OpKernels(byOp);
    }

    /** The fusions that the settings of a backend leave on. */
    public static Fusions fusions(BackendOptions options) {
        List<String> off =
                List.of(options.settings().getOrDefault(WITHOUT_FUSIONS, "").split(",", -1));
        List<Fusion> on = new ArrayList<>();
        for (Fusion fusion : FUSIONS) {
            if (!off.contains("all") && !off.contains(fusion.name())) {
                on.add(fusion);
            }
        }
        return new Fusions(on);
    }
}
