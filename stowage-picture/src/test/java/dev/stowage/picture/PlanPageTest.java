package dev.stowage.picture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.internal.json.JsonCursor;
import dev.stowage.internal.json.JsonReader;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.plan.Liveness;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.Planner;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.schedule.Feature;
import dev.stowage.testkit.schedule.RandomProgram;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlanPageTest {

    private static final int SEEDS = 100;

    /** A tensor as the page has it, by the names of its columns. */
    private record Row(List<String> columns, JsonCursor values) {

        private JsonCursor cell(String column) {
            return values.at(columns.indexOf(column));
        }

        long number(String column) {
            return cell(column).asLong();
        }

        String text(String column) {
            return cell(column).asString();
        }

        int id() {
            return cell("id").asInt();
        }
    }

    private static Graph randomGraph(long seed) {
        return RandomProgram.of(seed, EnumSet.allOf(Feature.class), 20).graph();
    }

    private static MemoryPlan plan(Graph graph) {
        return Planner.ggml().plan(PlanRequest.of(graph, MeasuringBufferType.of("memory", 16)));
    }

    private static MemoryPlan inChunks(Graph graph) {
        MeasuringBufferType small = MeasuringBufferType.of("small", 16).withMaxBufferSize(256);
        return Planner.ggml().plan(PlanRequest.of(graph, small));
    }

    private static JsonCursor data(MemoryPlan plan) {
        return JsonReader.parse(PlanPage.data(plan, "title")).cursor();
    }

    private static List<Row> rows(MemoryPlan plan) {
        JsonCursor data = data(plan);
        List<String> columns = data.get("columns").elements().stream()
                .map(JsonCursor::asString)
                .toList();
        List<Row> rows = new ArrayList<>();
        for (JsonCursor tensor : data.get("tensors").elements()) {
            assertThat(tensor.elements()).hasSameSizeAs(columns);
            rows.add(new Row(columns, tensor));
        }
        return rows;
    }

    private static String named(String name) {
        GraphBuilder b = new GraphBuilder();
        return PlanPicture.html(plan(b.build(b.sin(b.input(name, ElementType.F32, 8)))), name);
    }

    @Test
    void everyPlannedTensorIsThereOnce() {
        for (long seed = 0; seed < SEEDS; seed++) {
            MemoryPlan plan = plan(randomGraph(seed));
            List<Integer> planned = new ArrayList<>();
            for (int id = 0; id < plan.graph().size(); id++) {
                if (plan.isPlanned(id)) {
                    planned.add(id);
                }
            }
            assertThat(rows(plan))
                    .as("seed %d", seed)
                    .filteredOn(row -> row.number("panel") >= 0 && row.number("viewOf") < 0)
                    .extracting(Row::id)
                    .containsExactlyElementsOf(planned);
        }
    }

    @Test
    void everyNodeIsThereOnceSinceTheyTellTheTime() {
        for (long seed = 0; seed < SEEDS; seed++) {
            MemoryPlan plan = plan(randomGraph(seed));
            List<Integer> ids = rows(plan).stream().map(Row::id).toList();
            assertThat(ids).as("seed %d", seed).doesNotHaveDuplicates();
            assertThat(ids.stream().filter(plan.graph()::isNode))
                    .as("seed %d", seed)
                    .hasSize(plan.graph().nodeCount());
        }
    }

    @Test
    void placesAndLivesAreThePlans() {
        for (long seed = 0; seed < SEEDS; seed++) {
            MemoryPlan plan = plan(randomGraph(seed));
            Liveness liveness = Liveness.of(plan.graph());
            for (Row row : rows(plan)) {
                int id = row.id();
                if (plan.isPlanned(id)) {
                    assertThat(List.of(row.number("offset"), row.number("size"), row.number("inPlaceOf")))
                            .as("seed %d: '%s'", seed, row.text("name"))
                            .containsExactly(plan.offset(id), plan.size(id), (long) plan.inPlaceOf(id));
                    assertThat(List.of(row.number("from"), row.number("to")))
                            .as("seed %d: '%s'", seed, row.text("name"))
                            .containsExactly((long) liveness.from(id), (long) liveness.to(id));
                }
            }
        }
    }

    @Test
    void whatIsTakenOverEndsWhereItsSuccessorBegins() {
        int taken = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            List<Row> rows = rows(plan(randomGraph(seed)));
            Map<Integer, Row> byId = new HashMap<>();
            rows.forEach(row -> byId.put(row.id(), row));
            for (Row row : rows) {
                Row operand = byId.get((int) row.number("inPlaceOf"));
                if (operand != null) {
                    taken++;
                    assertThat(operand.number("end"))
                            .as("seed %d: '%s'", seed, operand.text("name"))
                            .isEqualTo(row.number("from") + 1);
                }
            }
        }
        assertThat(taken).isPositive();
    }

    @Test
    void aViewIsStoredWithinTheBytesAndTheTimeOfItsSource() {
        GraphBuilder b = new GraphBuilder();
        Tensor whole = b.sin(b.input("x", ElementType.F32, 8, 4)).named("whole");
        Tensor part =
                b.view2d(whole, 8, 2, whole.stride(1), 2 * whole.stride(1)).named("part");
        MemoryPlan plan = plan(b.build(b.cos(part), b.sqrt(whole)));

        List<Row> rows = rows(plan);

        Row source = rows.stream()
                .filter(row -> row.text("name").equals("whole"))
                .findFirst()
                .orElseThrow();
        Row view = rows.stream()
                .filter(row -> row.text("name").equals("part"))
                .findFirst()
                .orElseThrow();
        assertThat(view.text("kind")).isEqualTo("view");
        assertThat(view.number("viewOf")).isEqualTo(source.id());
        assertThat(view.number("offset")).isEqualTo(source.number("offset") + 2 * 8 * 4);
        assertThat(view.number("size")).isEqualTo(2 * 8 * 4);
        assertThat(view.number("from")).isGreaterThan(source.number("from"));
        assertThat(view.number("to")).isLessThan(source.number("to"));
        assertThat(view.number("end")).isLessThanOrEqualTo(source.number("end"));
    }

    @Test
    void theFiguresAreThoseOfTheAnalysis() {
        MemoryPlan plan = plan(randomGraph(1));
        JsonCursor data = data(plan);
        assertThat(data.get("nodes").asInt()).isEqualTo(plan.graph().nodeCount());
        assertThat(data.get("size").asLong()).isEqualTo(plan.size());
        assertThat(data.get("lowerBound").asLong()).isEqualTo(plan.analysis().lowerBound());
        assertThat(data.get("sumOfSizes").asLong()).isEqualTo(plan.analysis().sumOfSizes());
    }

    @Test
    void thePanelOfABufferInOnePieceShowsItsLowerBoundAndItsPeak() {
        for (long seed = 0; seed < SEEDS; seed++) {
            MemoryPlan plan = plan(randomGraph(seed));
            PlanPicturePanel panel =
                    PlanPicturePanel.of(plan, new PlanPictureTimes(plan)).getFirst();
            assertThat(panel)
                    .as("seed %d", seed)
                    .isEqualTo(new PlanPicturePanel(
                            0,
                            0,
                            plan.size(),
                            plan.analysis().lowerBound(0),
                            plan.analysis().peakNode(0)));
        }
    }

    @Test
    void everyChunkHasAPanelAndTogetherTheyAreTheBuffer() {
        int chunked = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            MemoryPlan plan = inChunks(randomGraph(seed));
            List<PlanPicturePanel> panels = PlanPicturePanel.of(plan, new PlanPictureTimes(plan));
            chunked += panels.size() > 1 ? 1 : 0;
            assertThat(panels.stream().mapToLong(PlanPicturePanel::size).sum())
                    .as("seed %d", seed)
                    .isEqualTo(plan.size());
            assertThat(panels).as("seed %d", seed).allMatch(panel -> panel.mostLive() <= panel.size());
            assertThat(data(plan).get("panels").elements()).as("seed %d", seed).hasSameSizeAs(panels);
        }
        assertThat(chunked).isPositive();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"</script><script>alert(1)</script>", "<!--<script>", "a & b \"c\" 'd'", "{{style}}", "\u2028"})
    void anOddNameStaysAName(String name) {
        GraphBuilder b = new GraphBuilder();
        MemoryPlan plan = plan(b.build(b.sin(b.input(name, ElementType.F32, 8))));
        assertThat(rows(plan)).extracting(row -> row.text("name")).contains(name);
        assertThat(PlanPage.data(plan, name)).doesNotContain("<");
        assertThat(PlanPicture.html(plan, name).split("</?script", -1))
                .hasSameSizeAs(PlanPicture.html(plan, "plain").split("</?script", -1));
    }

    @Test
    void theTitleIsTextInTheHeading() {
        assertThat(named("a < b & c"))
                .contains("<title>a &lt; b &amp; c</title>")
                .contains("<h1>a &lt; b &amp; c</h1>");
    }

    @Test
    void whatNoFileCanHoldIsReplaced() {
        assertThat(named("half \uD83D and \0"))
                .contains("half \uFFFD and \uFFFD")
                .doesNotContain("\uD83D", "\0");
    }

    @Test
    void nothingIsLeftToFillIn() {
        assertThat(named("x")).doesNotContain("{{");
    }

    @Test
    void thePageRefersToNothingOutside() {
        assertThat(named("x")).doesNotContain("http:", "https:", "src=", "@import", "fetch(", "XMLHttpRequest", "url(");
    }

    @Test
    void aPlanOfNothingHasAPage() {
        GraphBuilder b = new GraphBuilder();
        MemoryPlan plan = plan(b.build(b.view2d(b.weight("w", ElementType.F32, 4, 4), 4, 2, 16, 0)));
        assertThat(data(plan).get("panels").elements()).isEmpty();
        assertThat(PlanPicture.html(plan)).contains("<title>Memory plan</title>");
    }
}
