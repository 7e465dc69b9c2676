package dev.stowage.cuda.op;

import dev.stowage.cuda.op.norm.NormFamily;
import dev.stowage.cuda.op.rope.RopeFamily;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.Step;
import dev.stowage.device.fusion.FusionPattern;
import dev.stowage.device.fusion.FusionPatterns;
import dev.stowage.device.fusion.ResultUses;
import dev.stowage.plan.BoundGraph;
import java.util.List;

/** The fusions, in the order in which they are tried at a node. */
final class StandardFusions {

    private static final List<CudaFusion> ALL = List.of(
            new Fusion(FusionPatterns.ADD_RMS_NORM, StandardFusions::addRmsNorm),
            new Fusion(FusionPatterns.RMS_NORM_MUL, StandardFusions::rmsNormMul),
            new Fusion(FusionPatterns.ROPE_SET_ROWS, StandardFusions::ropeSetRows));

    private StandardFusions() {}

    static List<CudaFusion> all() {
        return ALL;
    }

    private static boolean addRmsNorm(BoundGraph graph, int first, int count, LaunchSink out) {
        if (count != 3) {
            return false;
        }
        Step add = Step.of(graph, first);
        Step norm = Step.of(graph, first + 1);
        Step mul = Step.of(graph, first + 2);
        boolean isFused = NormFamily.canFuseAddRmsNormMul(add, norm, mul);
        if (isFused) {
            NormFamily.addRmsNormMul(add, norm, mul, out);
        }
        return isFused;
    }

    private static boolean rmsNormMul(BoundGraph graph, int first, int count, LaunchSink out) {
        Step norm = Step.of(graph, first);
        Step mul = Step.of(graph, first + 1);
        boolean isFused = NormFamily.canFuseRmsNormMul(norm, mul);
        if (isFused) {
            NormFamily.rmsNormMul(norm, mul, out);
        }
        return isFused;
    }

    private static boolean ropeSetRows(BoundGraph graph, int first, int count, LaunchSink out) {
        Step rope = Step.of(graph, first);
        Step store = Step.of(graph, first + count - 1);
        boolean isFused = RopeFamily.canFuse(rope, store);
        if (isFused) {
            RopeFamily.ropeSetRows(rope, store, out);
        }
        return isFused;
    }

    /** Adds the launches of matched nodes, or returns false. */
    @FunctionalInterface
    private interface Launcher {
        boolean launch(BoundGraph graph, int first, int count, LaunchSink out);
    }

    private record Fusion(FusionPattern pattern, Launcher launcher) implements CudaFusion {

        @Override
        public String name() {
            return pattern.name();
        }

        @Override
        public int length(ResultUses uses, int node) {
            return pattern.length(uses, node);
        }

        @Override
        public boolean launch(BoundGraph graph, int first, int count, LaunchSink out) {
            return launcher.launch(graph, first, count, out);
        }
    }
}
