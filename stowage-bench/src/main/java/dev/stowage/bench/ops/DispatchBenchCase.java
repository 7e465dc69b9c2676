package dev.stowage.bench.ops;

import dev.stowage.bench.ops.OpBenchCase.Demand;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.util.List;

/**
 * The overhead of an op: many of them in sequence, with next to nothing to compute. Once as ops that are too
 * small to share, and once as ops that do nothing and are dispatched to every thread all the same; ggml is not asked for those,
 * because they are functions of the caller's.
 */
final class DispatchBenchCase {

    private static final int OPS = 1000;

    private DispatchBenchCase() {}

    static List<OpBenchCase> all() {
        return List.of(
                inARow("adds of 1", (ops, last, first) -> ops.add(last, first)),
                inARow("empty, shared", (ops, last, _) -> ops.custom(ElementType.F32, Shape.of(1), _ -> {}, last)));
    }

    private interface Next {
        Tensor of(GraphBuilder ops, Tensor last, Tensor first);
    }

    private static OpBenchCase inARow(String what, Next next) {
        return new OpBenchCase(
                "host",
                OPS + " " + what,
                ElementType.F32,
                SpeedUnit.NANOSECONDS,
                OPS,
                ErrorBounds.F32,
                Demand.USUAL,
                data -> {
                    BenchWorkloadBuilder b = new BenchWorkloadBuilder(data);
                    Tensor first = b.input(ElementType.F32, 1);
                    Tensor last = b.input(ElementType.F32, 1);
                    for (int i = 0; i < OPS; i++) {
                        last = next.of(b.ops(), last, first);
                    }
                    return b.build(List.of(last));
                });
    }
}
