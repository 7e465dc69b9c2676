package dev.stowage.bench.ggml;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;

/**
 * Nodes that ggml's CPU backend computes wrongly without refusing them or aborting.
 */
public final class GgmlLimits {

    private static final int AVX512_STEP = 64;
    private static final int VECTOR_STEP = 32;

    private final int vectorStep;

    /** The limits of the CPU backend that is loaded. */
    GgmlLimits(NativeLibrary cpu) {
        boolean hasAvx512 = has(cpu, "avx512");
        this.vectorStep = hasAvx512 ? AVX512_STEP : has(cpu, "avx") || has(cpu, "sse3") ? VECTOR_STEP : 1;
    }

    private static boolean has(NativeLibrary cpu, String feature) {
        try {
            return (int) cpu.function("ggml_cpu_has_" + feature, JAVA_INT).invokeExact() != 0;
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** Whether nothing in the graph is beyond them. */
    public boolean allow(Graph graph) {
        return graph.nodes().stream().allMatch(this::allow);
    }

    private boolean allow(Tensor node) {
        return switch (node.op()) {
            // Its vector code ignores the remainder and reads past the end of a row.
            case RWKV_WKV7 -> node.source(0).dim(0) % vectorStep == 0;
            // It steps from row to row of an image by its width, whatever the stride.
            case IM2COL -> hasDenseRows(node.source(1));
            default -> true;
        };
    }

    private static boolean hasDenseRows(Tensor image) {
        return image.dim(1) == 1 || image.stride(1) == image.dim(0) * image.stride(0);
    }
}
