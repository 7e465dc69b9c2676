package dev.stowage.bench.ops;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeFrequencies;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/** The ops of a model, in the sizes of Llama 3.1 8B, for one token, few and many. */
final class DeviceOpCases {

    private static final List<ElementType> WEIGHTS =
            List.of(ElementType.Q4_0, ElementType.Q8_0, ElementType.Q4_K, ElementType.Q6_K, ElementType.F16);

    /** Measured only if they are named. */
    private static final Set<ElementType> ON_REQUEST = Set.of(
            ElementType.Q4_1,
            ElementType.Q5_0,
            ElementType.Q5_1,
            ElementType.Q2_K,
            ElementType.Q3_K,
            ElementType.Q5_K,
            ElementType.MXFP4,
            ElementType.BF16);

    private static final int[] PRODUCT_TOKENS = {1, 8, 32, 512, 2048};
    private static final int[] ROW_TOKENS = {1, 512};
    private static final int LONG_CONTEXT = 8192;
    private static final int PROMPT_CONTEXT = 2048;
    /** Rows of a table that is larger than any cache. */
    private static final int TABLE_ROWS = 32_768;

    private static final int VOCABULARY = 128_256;
    /** No factor in common with the number of rows, so that rows are far from each other and none is used twice. */
    private static final int ROW_STRIDE = 7919;

    private DeviceOpCases() {}

    /**
     * Those of some groups and types; an empty list stands for all groups, or for the usual types.
     *
     * @param quick whether to leave out what takes long
     */
    static List<DeviceOpCase> select(List<String> groups, List<ElementType> types, boolean quick) {
        return all().stream()
                .filter(each -> groups.isEmpty() || groups.contains(each.group()))
                .filter(each -> types.isEmpty() ? !ON_REQUEST.contains(each.type()) : types.contains(each.type()))
                .filter(each -> !quick || !each.isPatient())
                .toList();
    }

    /** All cases, those of a group next to each other. */
    static List<DeviceOpCase> all() {
        List<DeviceOpCase> all = new ArrayList<>();
        WEIGHTS.forEach(type -> addProducts(type, all));
        Arrays.stream(ElementType.values()).filter(ON_REQUEST::contains).forEach(type -> addProducts(type, all));
        for (ElementType type : List.of(ElementType.F16, ElementType.Q8_0)) {
            all.add(attention(type, 1, Llama8B.SHORT_CONTEXT));
            all.add(attention(type, 1, LONG_CONTEXT));
            all.add(attention(type, Llama8B.PROMPT, PROMPT_CONTEXT));
            all.add(attention(type, PROMPT_CONTEXT, PROMPT_CONTEXT));
        }
        all.add(softMax(1, LONG_CONTEXT));
        all.add(softMax(Llama8B.PROMPT, PROMPT_CONTEXT));
        for (int tokens : ROW_TOKENS) {
            all.add(rows("rms_norm", tokens, DeviceOpCases::norm));
        }
        for (int tokens : ROW_TOKENS) {
            all.add(rows("rope", tokens, DeviceOpCases::rope));
        }
        for (int tokens : ROW_TOKENS) {
            all.add(rows("add", tokens, DeviceOpCases::add));
        }
        for (int tokens : ROW_TOKENS) {
            all.add(rows("mul", tokens, DeviceOpCases::mul));
        }
        for (int tokens : ROW_TOKENS) {
            all.add(rows("glu", tokens, DeviceOpCases::glu));
        }
        for (ElementType type : List.of(ElementType.F32, ElementType.F16)) {
            for (int tokens : ROW_TOKENS) {
                all.add(copy(type, tokens));
            }
        }
        for (ElementType type : List.of(ElementType.Q4_0, ElementType.Q6_K, ElementType.F16)) {
            for (int tokens : ROW_TOKENS) {
                all.add(getRows(type, tokens));
            }
        }
        for (ElementType type : List.of(ElementType.F16, ElementType.Q8_0)) {
            for (int tokens : ROW_TOKENS) {
                all.add(setRows(type, tokens));
            }
        }
        all.add(argmax(1));
        all.add(argmax(32));
        return all;
    }

    private static void addProducts(ElementType type, List<DeviceOpCase> all) {
        for (int tokens : PRODUCT_TOKENS) {
            all.add(product(type, Llama8B.WIDTH, Llama8B.WIDTH, tokens));
        }
        for (int tokens : PRODUCT_TOKENS) {
            all.add(product(type, Llama8B.FEED_FORWARD, Llama8B.WIDTH, tokens));
        }
    }

    private static String tokens(int count) {
        return count == 1 ? "1 token" : count + " tokens";
    }

    /** A matrix of {@code m} rows of length {@code k} times the rows of some tokens. */
    static DeviceOpCase product(ElementType type, int m, int k, int tokens) {
        return new DeviceOpCase(
                "mul_mat",
                m + "x" + k + ", " + tokens(tokens),
                type,
                2.0 * m * k * tokens,
                tokens > Llama8B.PROMPT,
                b -> () -> b.ops().mulMat(b.weight(type, k, m), b.input(ElementType.F32, k, tokens)));
    }

    /** The last tokens of a context, which see it up to themselves; only what they see counts as work. */
    static DeviceOpCase attention(ElementType type, int tokens, int cells) {
        double visible = tokens * (cells - (tokens - 1) / 2.0);
        double products = 2;
        return new DeviceOpCase(
                "flash_attn",
                tokens + " of " + cells,
                type,
                products * 2 * visible * Llama8B.HEAD_SIZE * Llama8B.HEADS,
                tokens > Llama8B.PROMPT,
                b -> {
                    Tensor mask =
                            b.input(ElementType.F16, b.data().causalMask(cells, tokens, cells - tokens), cells, tokens);
                    return () -> AttentionBenchCases.attention(b, type, tokens, cells, mask);
                });
    }

    private static DeviceOpCase softMax(int tokens, int cells) {
        float scale = (float) (1 / Math.sqrt(Llama8B.HEAD_SIZE));
        return new DeviceOpCase("soft_max", tokens + " of " + cells, ElementType.F32, 0, false, b -> {
            Tensor mask = b.input(ElementType.F16, b.data().causalMask(cells, tokens, cells - tokens), cells, tokens);
            return () -> b.ops().softMax(b.input(ElementType.F32, cells, tokens, Llama8B.HEADS), mask, scale, 0);
        });
    }

    private interface RowOp {
        Tensor of(BenchWorkloadBuilder b, int tokens);
    }

    private static DeviceOpCase rows(String group, int tokens, RowOp op) {
        return new DeviceOpCase(group, tokens(tokens), ElementType.F32, 0, false, b -> () -> op.of(b, tokens));
    }

    private static Tensor width(BenchWorkloadBuilder b, int tokens) {
        return b.input(ElementType.F32, Llama8B.WIDTH, tokens);
    }

    private static Tensor norm(BenchWorkloadBuilder b, int tokens) {
        return b.ops().rmsNorm(width(b, tokens), Llama8B.NORM_EPSILON);
    }

    private static Tensor rope(BenchWorkloadBuilder b, int tokens) {
        RopeFrequencies frequencies =
                new RopeFrequencies(Llama8B.TRAINED_CONTEXT, Llama8B.ROPE_BASE, 1f, 0f, 1f, 32f, 1f);
        OpParameters.Rope parameters =
                OpParameters.Rope.of(Llama8B.HEAD_SIZE, RopeMode.NORMAL).withFrequencies(frequencies);
        Tensor heads = b.input(ElementType.F32, Llama8B.HEAD_SIZE, Llama8B.HEADS, tokens);
        Tensor positions = b.input(ElementType.I32, b.data().ints(tokens, i -> i + 1), tokens);
        return b.ops().rope(heads, positions, parameters);
    }

    private static Tensor add(BenchWorkloadBuilder b, int tokens) {
        return b.ops().add(width(b, tokens), width(b, tokens));
    }

    /** Rows times one row, as a norm is scaled. */
    private static Tensor mul(BenchWorkloadBuilder b, int tokens) {
        return b.ops().mul(width(b, tokens), width(b, 1));
    }

    private static Tensor glu(BenchWorkloadBuilder b, int tokens) {
        Tensor gate = b.input(ElementType.F32, Llama8B.FEED_FORWARD, tokens);
        return b.ops().swiglu(gate, b.input(ElementType.F32, Llama8B.FEED_FORWARD, tokens));
    }

    private static DeviceOpCase copy(ElementType type, int tokens) {
        String shape = "f32 to " + type.label() + ", " + tokens(tokens);
        return new DeviceOpCase("cpy", shape, type, 0, false, b -> () -> b.ops().cast(width(b, tokens), type));
    }

    /** Rows of a table that all copies share, other rows for each. */
    private static DeviceOpCase getRows(ElementType type, int tokens) {
        return new DeviceOpCase("get_rows", tokens(tokens), type, 0, false, b -> {
            Tensor table = b.weight(type, Llama8B.WIDTH, TABLE_ROWS);
            return counted(copy -> {
                Tensor ids = b.input(
                        ElementType.I32,
                        b.data().ints(tokens, i -> (copy * tokens + i) * ROW_STRIDE % TABLE_ROWS),
                        tokens);
                return b.ops().getRows(table, ids);
            });
        });
    }

    /** Keys or values of some tokens into a cache, every third cell of it. */
    private static DeviceOpCase setRows(ElementType type, int tokens) {
        return new DeviceOpCase("set_rows", tokens(tokens), type, 0, false, b -> () -> {
            Tensor rows = b.input(ElementType.F32, Llama8B.KV_WIDTH, tokens);
            Tensor cache = b.input(type, Llama8B.KV_WIDTH, 3L * tokens);
            Tensor cells = b.input(ElementType.I64, b.data().longs(tokens, i -> 3 * i), tokens);
            return b.ops().setRows(cache, rows, cells);
        });
    }

    /** The most likely token of each row of logits. */
    private static DeviceOpCase argmax(int rows) {
        return new DeviceOpCase(
                "argmax",
                rows + (rows == 1 ? " row" : " rows"),
                ElementType.F32,
                0,
                false,
                b -> () -> b.ops().argmax(b.input(ElementType.F32, VOCABULARY, rows)));
    }

    /** Calls a function with 0, 1, 2 and so on. */
    private static Supplier<Tensor> counted(Function<Integer, Tensor> op) {
        int[] next = {0};
        return () -> op.apply(next[0]++);
    }
}
