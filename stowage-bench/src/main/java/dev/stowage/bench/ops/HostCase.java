package dev.stowage.bench.ops;

import dev.stowage.bench.ops.BenchCase.Demand;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.List;

/** What an op costs beside its work: many of them one after the other, with next to nothing to do. */
final class HostCase {

    private static final int OPS = 1000;

    private HostCase() {}

    static BenchCase one() {
        return new BenchCase(
                "host",
                OPS + " adds of 1",
                ElementType.F32,
                Rate.NANOSECONDS,
                OPS,
                ErrorBounds.F32,
                Demand.USUAL,
                data -> {
                    WorkloadBuilder b = new WorkloadBuilder(data);
                    Tensor step = b.input(ElementType.F32, 1);
                    Tensor sum = b.input(ElementType.F32, 1);
                    for (int i = 0; i < OPS; i++) {
                        sum = b.ops().add(sum, step);
                    }
                    return b.build(List.of(sum));
                });
    }
}
