package dev.stowage.plan.tight;

import static dev.stowage.plan.TestTensors.add;
import static dev.stowage.plan.TestTensors.floats;
import static dev.stowage.plan.TestTensors.leaf;
import static dev.stowage.plan.TestTensors.node;
import static dev.stowage.plan.TestTensors.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.plan.InPlaceRules;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanMatch;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.PlanValidator;
import dev.stowage.plan.Planner;
import dev.stowage.plan.TightOptions;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What the tight planner does with graphs of a few nodes. */
class TightPlannerTest {

    private static final BufferType MEMORY = MeasuringBufferType.of("memory", 4);

    private static MemoryPlan plan(Graph graph) {
        return plan(PlanRequest.of(graph, MEMORY), Planner.tight());
    }

    private static MemoryPlan plan(PlanRequest request, Planner planner) {
        MemoryPlan plan = PlanValidator.requireValid(planner.plan(request));
        assertThat(PlanValidator.check(plan, planner.inPlace())).isEmpty();
        assertThat(PlanValidator.hazards(plan)).isEmpty();
        return plan;
    }

    private static void assertInPlace(Tensor result, Tensor operand, Tensor... roots) {
        MemoryPlan plan = plan(Graph.of(roots));
        assertThat(plan.inPlaceOf(plan.graph().idOf(result)))
                .isEqualTo(plan.graph().idOf(operand));
    }

    private static void assertApart(Tensor result, Tensor... roots) {
        MemoryPlan plan = plan(Graph.of(roots));
        assertThat(plan.inPlaceOf(plan.graph().idOf(result))).isEqualTo(Graph.NO_ID);
    }

    /** A result that never takes the place of an operand. */
    private static Tensor apart(String name, long floats, Tensor... sources) {
        return node(name, Op.MUL_MAT, floats, sources);
    }

    @Nested
    class AResultTakesThePlace {

        private final Tensor x = leaf("x", 4);

        @Test
        void ofAnOperandThatItsOpMayOverwrite() {
            Tensor norm = node("norm", Op.NORM, 4, x);

            assertInPlace(norm, x, norm);
        }

        @Test
        void ofTheSecondOperandWhereTheFirstIsStillNeeded() {
            Tensor gate = apart("gate", 4, x);
            Tensor up = apart("up", 4, x);
            Tensor glu = node("glu", Op.GLU, 4, gate, up);

            assertInPlace(glu, up, glu, apart("last", 1, gate));
        }

        @Test
        void ofWhatItsOperandIsAViewOf() {
            Tensor rows = apart("rows", 4, x);
            Tensor heads = Tensor.builder(Layout.contiguous(ElementType.F32, 2, 2))
                    .op(Op.RESHAPE)
                    .sources(rows)
                    .viewOf(rows, 0)
                    .build();
            Tensor turned = Tensor.builder(heads.layout())
                    .op(Op.ROPE)
                    .sources(heads)
                    .name("turned")
                    .build();

            assertInPlace(turned, rows, turned);
        }

        @Test
        void thatHasBeenTakenTheLongest() {
            Tensor residual = apart("residual", 4, x);
            Tensor changed = apart("changed", 4, residual);
            Tensor sum = add("sum", 4, changed, residual);

            assertInPlace(sum, residual, sum);
        }
    }

    @Nested
    class AResultIsStoredApartFromAnOperandThat {

        private final Tensor x = leaf("x", 4);

        @Test
        void aLaterNodeReads() {
            Tensor norm = node("norm", Op.NORM, 4, x);

            assertApart(norm, norm, apart("later", 1, x));
        }

        @Test
        void aLaterNodeReadsThroughAView() {
            Tensor norm = node("norm", Op.NORM, 4, x);

            assertApart(norm, norm, apart("later", 1, view("view", x, 0, 2)));
        }

        @Test
        void isAnOutput() {
            Tensor norm = node("norm", Op.NORM, 4, x.asOutput());

            assertApart(norm, norm);
        }

        @Test
        void hasAViewThatIsAnOutput() {
            Tensor seen = view("seen", x, 0, 2).asOutput();
            Tensor norm = node("norm", Op.NORM, 4, x);

            assertApart(norm, seen, norm);
        }

        @Test
        void itReadsTwice() {
            Tensor sum = add("sum", 4, x, x);

            assertApart(sum, sum);
        }

        @Test
        void beginsBeforeTheViewItReads() {
            Tensor part = view("part", x, 1, 3);
            Tensor norm = node("norm", Op.NORM, 3, part);

            assertApart(norm, norm);
        }

        @Test
        void isLargerThanTheViewItReads() {
            Tensor part = view("part", x, 0, 3);
            Tensor norm = node("norm", Op.NORM, 3, part);

            assertApart(norm, norm);
        }

        @Test
        void hasAnotherShape() {
            Tensor norm = Tensor.builder(Layout.contiguous(ElementType.F32, 2, 2))
                    .op(Op.NORM)
                    .sources(x)
                    .build();

            assertApart(norm, norm);
        }

        @Test
        void itsOpMustNotOverwrite() {
            Tensor product = node("product", Op.MUL_MAT, 4, x);

            assertApart(product, product);
        }

        @Test
        void isAWeight() {
            Tensor norm = node("norm", Op.NORM, 4, x.asWeight());

            assertApart(norm, norm);
        }

        @Test
        void liesInOtherMemory() {
            Tensor norm = node("norm", Op.NORM, 4, x);
            BufferType other = MeasuringBufferType.of("other", 4);
            PlanRequest request = PlanRequest.of(Graph.of(norm), List.of(MEMORY, other), new int[] {1}, new int[] {0});
            MemoryPlan plan =
                    plan(request, Planner.tight(TightOptions.standard().withInPlace(InPlaceRules.none())));

            assertThat(plan.buffer(0)).isEqualTo(1);
            assertThat(plan.bufferSize(1)).isEqualTo(16);
        }

        @Test
        void theCallerWritesTheResultInto() {
            Tensor norm = node("norm", Op.NORM, 4, x).asInput();

            assertApart(norm, norm);
        }
    }

    @Nested
    class WithRules {

        private final Tensor x = leaf("x", 4);
        private final Tensor glu = node("glu", Op.GLU, 4, apart("a", 4, x), apart("b", 4, x));
        private final Tensor silu = node("silu", Op.UNARY, 4, glu);
        private final PlanRequest request = PlanRequest.of(Graph.of(silu), MEMORY);

        private int inPlace(InPlaceRules rules) {
            MemoryPlan plan =
                    plan(request, Planner.tight(TightOptions.standard().withInPlace(rules)));
            int count = 0;
            for (int id = 0; id < plan.graph().size(); id++) {
                count += plan.inPlaceOf(id) == Graph.NO_ID ? 0 : 1;
            }
            return count;
        }

        @Test
        void ofAllKernelsBothAreInPlace() {
            assertThat(inPlace(InPlaceRules.kernels())).isEqualTo(2);
        }

        @Test
        void ofGgmlOnlyWhatGgmlComputesInPlaceIs() {
            assertThat(inPlace(InPlaceRules.ggml())).isEqualTo(1);
        }

        @Test
        void thatAllowNothingNothingIs() {
            assertThat(inPlace(InPlaceRules.none())).isZero();
        }

        @Test
        void thatLeaveAnOpOutItsResultsAreApart() {
            assertThat(inPlace(InPlaceRules.kernels().without(Op.GLU))).isEqualTo(1);
        }
    }

    @Test
    void packsWhatIsLiveAtOnceWithoutHolesWhereBestFitInOrderDoesNot() {
        Tensor x = leaf("x", 1);
        Tensor small = apart("small", 4, x);
        Tensor other = apart("other", 2, small);
        Tensor large = apart("large", 6, other);
        Graph graph = Graph.of(apart("end", 1, large));
        PlanRequest request = PlanRequest.of(graph, MEMORY);
        MemoryPlan plan = plan(request, Planner.tight());

        assertThat(plan.size()).isEqualTo(plan.analysis().lowerBound()).isEqualTo(32);
        assertThat(Planner.ggml().plan(request).size()).isGreaterThan(32);
    }

    @Test
    void givesALeafThatNoNodeReadsAPlaceOnlyBeforeTheFirstNode() {
        Tensor unread = leaf("unread", 8);
        Tensor x = leaf("x", 1);
        Tensor y = apart("y", 8, x);
        MemoryPlan plan = plan(Graph.listed(List.of(y), List.of(unread, x)));

        assertThat(plan.size()).isEqualTo(36);
    }

    @Test
    void keepsOutputsToTheEnd() {
        Tensor x = leaf("x", 4);
        Tensor first = apart("first", 4, x).asOutput();
        Tensor second = apart("second", 4, x);
        Tensor third = apart("third", 4, second);
        MemoryPlan plan = plan(Graph.of(first, third));

        assertThat(plan.size()).isEqualTo(48);
    }

    @Test
    void placesEmptyTensorsToo() {
        Tensor empty = leaf("empty", 0);
        MemoryPlan plan = plan(Graph.of(apart("result", 0, empty)));

        assertThat(plan.size()).isZero();
        assertThat(plan.isPlanned(0)).isTrue();
    }

    @Test
    void plansAGraphWithoutTensors() {
        assertThat(plan(Graph.listed(List.of(), List.of())).size()).isZero();
    }

    @Test
    void givesMemoryThatNothingIsStoredInNoChunks() {
        Tensor x = leaf("x", 4);
        BufferType other = MeasuringBufferType.of("other", 4);
        PlanRequest request =
                PlanRequest.of(Graph.of(apart("y", 4, x)), List.of(MEMORY, other), new int[] {0}, new int[] {0});
        MemoryPlan plan = plan(request, Planner.tight());

        assertThat(plan.chunkCount(1)).isZero();
    }

    @Test
    void roundsSizesUpToTheAlignmentOfTheirMemory() {
        Tensor x = leaf("x", 1);
        PlanRequest request = PlanRequest.of(Graph.of(apart("y", 3, x)), MeasuringBufferType.of("wide", 256));
        MemoryPlan plan = plan(request, Planner.tight());

        assertThat(plan.size()).isEqualTo(512);
        assertThat(List.of(plan.offset(0), plan.offset(1))).containsExactlyInAnyOrder(0L, 256L);
    }

    @Nested
    class WithALargestBuffer {

        private final Tensor x = leaf("x", 1);
        private final Tensor first = apart("first", 4, x);
        private final Tensor second = apart("second", 4, x);
        private final Tensor third = apart("third", 4, x);
        private final Graph graph = Graph.of(apart("end", 1, first, second, third));

        private MemoryPlan planned(long largest) {
            return plan(
                    PlanRequest.of(graph, MeasuringBufferType.of("small", 4).withMaxBufferSize(largest)),
                    Planner.tight());
        }

        @Test
        void fillsChunksThatAreNoLarger() {
            MemoryPlan plan = planned(32);

            assertThat(plan.chunkCount(0)).isEqualTo(2);
            assertThat(List.of(plan.chunkSize(0, 0), plan.chunkSize(0, 1))).containsExactlyInAnyOrder(32L, 20L);
            assertThat(plan.size()).isEqualTo(plan.analysis().lowerBound());
        }

        @Test
        void usesOneChunkWhereThatIsEnough() {
            assertThat(planned(52).chunkCount(0)).isEqualTo(1);
        }

        @Test
        void givesATensorThatIsLargerAChunkOfItsSize() {
            MemoryPlan plan = planned(8);

            assertThat(plan.chunkSize(0, plan.chunk(graph.idOf(first)))).isEqualTo(16);
            assertThat(plan.size()).isEqualTo(52);
        }
    }

    @Test
    void bearsItsNameEvenWhereItTakesThePlanOfGgml() {
        Tensor x = leaf("x", 4);

        assertThat(plan(Graph.of(apart("y", 4, x))).planner()).isEqualTo("tight");
    }

    @Test
    void isFoundByItsName() {
        assertThat(Planner.named("tight")).isSameAs(Planner.tight());
        assertThat(Planner.named("ggml")).isSameAs(Planner.ggml());
        assertThat(Planner.names()).containsExactly("ggml", "tight");
    }

    @Test
    void aPlannerThatThereIsNotIsRefusedNamingThoseThereAre() {
        assertThatExceptionOfType(InvalidPlanException.class)
                .isThrownBy(() -> Planner.named("tihgt"))
                .withMessageContaining("'tihgt'")
                .withMessageContaining("ggml, tight");
    }

    @Test
    void refusesANegativeNumberOfSteps() {
        assertThatExceptionOfType(InvalidPlanException.class)
                .isThrownBy(() -> TightOptions.standard().withSteps(-1))
                .withMessageContaining("-1");
    }

    @Test
    void aSavedPlanCanBeReadBack() {
        Tensor x = leaf("x", 4);
        Tensor glu = node("glu", Op.GLU, 4, apart("a", 4, x), apart("b", 4, x));
        PlanRequest request = PlanRequest.of(Graph.of(glu), MEMORY);
        MemoryPlan plan = plan(request, Planner.tight());

        assertThat(MemoryPlan.fromJson(plan.toJson(), request)).isEqualTo(plan);
    }

    @Test
    void aPlanDoesNotServeAGraphWhoseKernelsNeedAPlaceWhereTheResultWasInPlace() {
        Graph gated = two(Op.GLU);
        Graph multiplied = two(Op.MUL_MAT);
        MemoryPlan plan = plan(gated);

        assertThat(multiplied.isWiredLike(gated)).isTrue();
        assertThat(PlanMatch.difference(plan, two(Op.GLU), InPlaceRules.kernels()))
                .isNull();
        assertThat(PlanMatch.difference(plan, multiplied, InPlaceRules.kernels()))
                .contains("place");
    }

    private static Graph two(Op op) {
        return Graph.of(Tensor.builder(floats(4))
                .op(op)
                .sources(leaf("a", 4), leaf("b", 4))
                .build());
    }
}
