package dev.stowage.graph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.SortOrder;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.UnaryFunction;
import dev.stowage.tensor.Window;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Ops called in random order on whatever the ops before them made: what is not refused holds together. */
class GraphBuilderRandomTest {

    private static final int SEEDS = 200;
    private static final int CALLS = 150;
    private static final ElementType[] TYPES = {
        ElementType.F32, ElementType.F32, ElementType.F16, ElementType.BF16, ElementType.I32, ElementType.Q8_0
    };

    /** One random call of an op function. */
    private interface Call {
        Tensor on(Programme p);
    }

    private static final List<Call> CALLS_TO_CHOOSE_FROM = List.of(
            p -> p.b.add(p.any(), p.any()),
            p -> p.b.mulInplace(p.any(), p.any()),
            p -> p.b.add1(p.any(), p.leaf(ElementType.F32, 1)),
            p -> p.b.scale(p.any(), 2f),
            p -> p.b.sqrInplace(p.any()),
            p -> p.b.clamp(p.any(), 0f, 1f),
            p -> p.b.unary(p.any(), UnaryFunction.SILU),
            p -> p.b.unaryInplace(p.any(), UnaryFunction.RELU),
            p -> p.b.swiglu(p.any()),
            p -> p.b.geglu(p.any(), p.any()),
            p -> p.b.rmsNorm(p.any(), 1e-5f),
            p -> p.b.mulMat(p.any(), p.any()),
            p -> p.b.mulMat(p.leaf(ElementType.Q8_0, 32, p.size()), p.leaf(ElementType.F32, 32, p.size())),
            p -> p.b.outProd(p.any(), p.any()),
            p -> p.b.diagMaskInfInplace(p.any(), p.size()),
            p -> p.b.softMax(p.any()),
            p -> p.rope(p.any()),
            p -> p.b.reshape(p.any(), p.size(), p.size(), p.size()),
            p -> p.flat(p.any()),
            p -> p.part(p.any()),
            p -> p.b.permute(p.any(), 0, 2, 1, 3),
            p -> p.b.permute(p.any(), 3, 1, 0, 2),
            p -> p.b.transpose(p.any()),
            p -> p.b.cpy(p.any(), p.any()),
            p -> p.b.cast(p.any(), ElementType.F16),
            p -> p.b.cont(p.any()),
            p -> p.b.dup(p.any()),
            p -> p.b.concat(p.any(), p.any(), p.random.nextInt(4)),
            p -> p.doubled(p.any()),
            p -> p.b.set1d(p.any(), p.any(), 4L * p.size()),
            p -> p.b.accInplace(p.any(), p.any(), 16, 64, 64, 0),
            p -> p.b.getRows(p.any(), p.leaf(ElementType.I32, p.size())),
            p -> p.b.argsort(p.any(), SortOrder.DESC),
            p -> p.b.argsortTopK(p.any(), p.size()),
            p -> p.b.sumRows(p.any()),
            p -> p.b.mean(p.any()),
            p -> p.b.conv1d(p.leaf(ElementType.F16, 3, 2, p.size()), p.any(), Window.of(1, 1)),
            p -> p.b.conv2d(p.leaf(ElementType.F16, 2, 2, 1, p.size()), p.any(), Window.UNIT, Window.UNIT),
            p -> p.b.pad(p.any(), 1, 0, 2, 0),
            p -> p.b.roll(p.any(), 1, 0, 0, 0),
            p -> p.b.arange(0f, p.size(), .5f));

    /** The builder of one seed and what it has made. */
    private static final class Programme {

        private final GraphBuilder b = new GraphBuilder();
        private final Random random;

        private Programme(long seed) {
            random = new Random(seed);
            for (int i = 0; i < 6; i++) {
                ElementType type = TYPES[random.nextInt(TYPES.length)];
                leaf(type, (long) size() * type.blockSize(), size(), size());
            }
        }

        private int size() {
            return 1 + random.nextInt(4);
        }

        private Tensor any() {
            List<Tensor> made = b.tensors();
            return made.get(random.nextInt(made.size()));
        }

        private Tensor leaf(ElementType type, long... dimensions) {
            return b.tensor(type, dimensions);
        }

        private Tensor flat(Tensor a) {
            return b.reshape(a, a.shape().elements());
        }

        private Tensor part(Tensor a) {
            return b.view2d(a, a.dim(0), Math.max(1, a.dim(1) - 1), a.stride(1), a.stride(1));
        }

        private Tensor doubled(Tensor a) {
            return b.repeat(a, a.dim(0), 2 * a.dim(1), a.dim(2), a.dim(3));
        }

        private Tensor rope(Tensor a) {
            return b.rope(a, leaf(ElementType.I32, a.dim(2)), OpParameters.Rope.of(2, RopeMode.NORMAL));
        }
    }

    private static void assertHoldsTogether(Tensor tensor, long seed) {
        assertThat(tensor.byteSize()).as("seed %d, bytes of %s", seed, tensor).isEqualTo(reach(tensor));
        if (tensor.isView()) {
            Tensor source = tensor.viewSource();
            assertThat(source.isView())
                    .as("seed %d, source of %s", seed, tensor)
                    .isFalse();
            assertThat(tensor.viewOffset() + tensor.byteSize())
                    .as("seed %d, end of %s in its source %s", seed, tensor, source)
                    .isLessThanOrEqualTo(source.byteSize());
        } else {
            assertThat(tensor.layout().isDense())
                    .as("seed %d, %s", seed, tensor)
                    .isTrue();
        }
        for (int i = 0; i < tensor.sourceCount(); i++) {
            // Only a cast reads itself.
            assertThat(tensor.source(i).serial())
                    .as("seed %d, source %d of %s", seed, i, tensor)
                    .isLessThan(tensor.serial() + (tensor.op() == Op.CPY ? 1 : 0));
        }
        if (tensor.op().isViewOp()) {
            assertThat(tensor.sourceCount())
                    .as("seed %d, sources of %s", seed, tensor)
                    .isOne();
        }
    }

    /** The end of the last element: its distance from the first and its own bytes. */
    private static long reach(Tensor tensor) {
        long blocks = tensor.dim(0) / tensor.type().blockSize();
        long last = (blocks - 1) * tensor.stride(0);
        for (int i = 1; i < 4; i++) {
            last += (tensor.dim(i) - 1) * tensor.stride(i);
        }
        return last + tensor.type().bytesPerBlock();
    }

    @Test
    void makesTensorsThatHoldTogetherOrNone() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Programme programme = new Programme(seed);
            for (int i = 0; i < CALLS; i++) {
                Call call = CALLS_TO_CHOOSE_FROM.get(programme.random.nextInt(CALLS_TO_CHOOSE_FROM.size()));
                try {
                    Tensor result = call.on(programme);
                    assertThat(result.op()).as("seed %d", seed).isNotEqualTo(Op.NONE);
                } catch (InvalidTensorException refused) {
                    assertThat(refused).as("seed %d", seed).hasMessageContaining(": ");
                }
            }
            for (Tensor made : programme.b.tensors()) {
                assertHoldsTogether(made, seed);
            }
        }
    }

    @Test
    void makesTensorsThatBuildAGraphWithEveryOneOfThem() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Programme programme = new Programme(seed);
            for (int i = 0; i < CALLS; i++) {
                try {
                    CALLS_TO_CHOOSE_FROM
                            .get(programme.random.nextInt(CALLS_TO_CHOOSE_FROM.size()))
                            .on(programme);
                } catch (InvalidTensorException refused) {
                    assertThat(refused).as("seed %d", seed).hasMessageContaining(": ");
                }
            }
            List<Tensor> made = programme.b.tensors();
            Graph graph = programme.b.build(made.toArray(Tensor[]::new));

            assertThat(graph.nodeCount() + graph.leafCount())
                    .as("seed %d", seed)
                    .isEqualTo(made.size());
        }
    }

    @Test
    void takesAtLeastAThirdOfTheCalls() {
        int taken = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            Programme programme = new Programme(seed);
            for (Call call : CALLS_TO_CHOOSE_FROM) {
                try {
                    call.on(programme);
                    taken++;
                } catch (InvalidTensorException refused) {
                    assertThat(refused).hasMessageContaining(": ");
                }
            }
        }

        assertThat(taken).isGreaterThan(SEEDS * CALLS_TO_CHOOSE_FROM.size() / 3);
    }
}
