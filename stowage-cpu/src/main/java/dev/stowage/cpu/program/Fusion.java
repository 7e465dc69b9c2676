package dev.stowage.cpu.program;

import dev.stowage.device.fusion.FusionPattern;
import dev.stowage.device.fusion.ResultUses;
import java.util.List;

/** Computes the nodes of a pattern as one, where that saves passes over memory. */
public interface Fusion extends FusionPattern {

    /** Which nodes it is for. */
    FusionPattern pattern();

    /**
     * Prepares nodes that the pattern covers together, if the kernels take their operands.
     *
     * @return whether they were prepared; if not, nothing was added to any of them
     */
    boolean prepare(List<NodeBuilder> nodes);

    /** The name it is switched off by. */
    @Override
    default String name() {
        return pattern().name();
    }

    @Override
    default int length(ResultUses uses, int node) {
        return pattern().length(uses, node);
    }
}
