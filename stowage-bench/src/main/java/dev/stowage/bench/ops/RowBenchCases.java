package dev.stowage.bench.ops;

import dev.stowage.bench.ops.OpBenchCase.Demand;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeFrequencies;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Ops that do little with every number of some rows, for the tokens of a prompt and for a single one. */
final class RowBenchCases {

    /** What is done in a microsecond is done often in one graph, else it would be the start of the graph that counts. */
    private static final int SMALL_COPIES = 64;

    private static final int LARGE_COPIES = 2;

    private RowBenchCases() {}

    static List<OpBenchCase> all() {
        List<OpBenchCase> all = new ArrayList<>();
        for (int tokens : new int[] {Llama8B.PROMPT, 1}) {
            all.add(rope(tokens));
        }
        for (int tokens : new int[] {Llama8B.PROMPT, 1}) {
            all.add(norm(tokens));
        }
        for (int tokens : new int[] {Llama8B.PROMPT, 1}) {
            all.add(gated(tokens));
        }
        for (ElementType type : List.of(ElementType.F16, ElementType.Q8_0)) {
            for (int tokens : new int[] {Llama8B.PROMPT, 1}) {
                all.add(store(type, tokens));
            }
        }
        return all;
    }

    private static OpBenchCase rope(int tokens) {
        RopeFrequencies frequencies =
                new RopeFrequencies(Llama8B.TRAINED_CONTEXT, Llama8B.ROPE_BASE, 1f, 0f, 1f, 32f, 1f);
        OpParameters.Rope parameters =
                OpParameters.Rope.of(Llama8B.HEAD_SIZE, RopeMode.NORMAL).withFrequencies(frequencies);
        double bytes = 2.0 * Float.BYTES * Llama8B.WIDTH * tokens;
        return repeated("rope", ElementType.F32, tokens, bytes, ErrorBounds.F32, b -> {
            Tensor heads = b.input(ElementType.F32, Llama8B.HEAD_SIZE, Llama8B.HEADS, tokens);
            Tensor positions = b.input(ElementType.I32, b.data().ints(tokens, i -> i + 1), tokens);
            return () -> b.ops().rope(heads, positions, parameters);
        });
    }

    private static OpBenchCase norm(int tokens) {
        double bytes = 2.0 * Float.BYTES * Llama8B.WIDTH * tokens;
        return repeated("rms_norm", ElementType.F32, tokens, bytes, ErrorBounds.F32, b -> {
            Tensor rows = b.input(ElementType.F32, Llama8B.WIDTH, tokens);
            return () -> b.ops().rmsNorm(rows, Llama8B.NORM_EPSILON);
        });
    }

    private static OpBenchCase gated(int tokens) {
        double bytes = 3.0 * Float.BYTES * Llama8B.FEED_FORWARD * tokens;
        return repeated("glu", ElementType.F32, tokens, bytes, ErrorBounds.F32, b -> {
            Tensor gate = b.input(ElementType.F32, Llama8B.FEED_FORWARD, tokens);
            Tensor up = b.input(ElementType.F32, Llama8B.FEED_FORWARD, tokens);
            return () -> b.ops().swiglu(gate, up);
        });
    }

    /** Keys or values of some tokens into a cache, every third cell of it. */
    private static OpBenchCase store(ElementType type, int tokens) {
        double bytes = (double) (ElementType.F32.rowBytes(Llama8B.KV_WIDTH) + type.rowBytes(Llama8B.KV_WIDTH)) * tokens;
        double maxError = type.isQuantized() ? ErrorBounds.ROUNDED : ErrorBounds.F32;
        return repeated("set_rows", type, tokens, bytes, maxError, b -> {
            Tensor rows = b.input(ElementType.F32, Llama8B.KV_WIDTH, tokens);
            Tensor cache = b.input(type, Llama8B.KV_WIDTH, Llama8B.LONG_CONTEXT);
            Tensor cells = b.input(ElementType.I64, b.data().longs(tokens, i -> 3 * i), tokens);
            return () -> b.ops().setRows(cache, rows, cells);
        });
    }

    private static OpBenchCase repeated(
            String group,
            ElementType type,
            int tokens,
            double bytes,
            double maxError,
            Function<BenchWorkloadBuilder, Supplier<Tensor>> op) {
        int copies = tokens == 1 ? SMALL_COPIES : LARGE_COPIES;
        return new OpBenchCase(
                group,
                tokens == 1 ? "1 token" : tokens + " tokens",
                type,
                SpeedUnit.GIGABYTES,
                bytes * copies,
                maxError,
                Demand.USUAL,
                data -> {
                    BenchWorkloadBuilder b = new BenchWorkloadBuilder(data);
                    Supplier<Tensor> made = op.apply(b);
                    List<Tensor> results = new ArrayList<>();
                    for (int i = 0; i < copies; i++) {
                        results.add(made.get());
                    }
                    return b.build(results);
                });
    }
}
