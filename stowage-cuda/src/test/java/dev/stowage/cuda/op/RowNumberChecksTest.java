package dev.stowage.cuda.op;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cuda.program.Launch;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.SortOrder;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowNumberChecksTest {

    private static final String CHECK = "check_row_numbers";

    private final GraphBuilder b = new GraphBuilder();

    private static List<Launch> launches(Graph graph) {
        try (PlacedGraph placed = PlacedGraph.apart(graph)) {
            return GraphLaunches.of(placed.bound(), PlacedGraph.HOPPER).launches();
        }
    }

    private static List<String> kernels(List<Launch> launches) {
        return launches.stream().map(Launch::kernel).toList();
    }

    private static List<String> subjects(Launch launch) {
        return launch.arguments().stream()
                .filter(Launch.ReportSubject.class::isInstance)
                .map(argument -> ((Launch.ReportSubject) argument).description())
                .toList();
    }

    @Test
    void inputsAreCheckedByOneLaunchBeforeAllOthersAndEachOnce() {
        Tensor cells = b.input("cells", ElementType.I64, 3);
        Tensor tokens = b.input("tokens", ElementType.I32, 3);
        Tensor rows = b.getRows(b.weight("table", ElementType.F32, 8, 10), tokens);
        Tensor keys = b.setRows(b.weight("keys", ElementType.F32, 8, 16), rows, cells);
        Tensor values = b.setRows(b.weight("values", ElementType.F32, 8, 16), b.scale(rows, 2), cells);
        Tensor others = b.setRows(b.weight("others", ElementType.F32, 8, 17), b.scale(rows, 3), cells);

        List<Launch> launches = launches(b.build(keys, values, others));

        assertThat(kernels(launches)).startsWith(CHECK);
        assertThat(kernels(launches)).filteredOn(CHECK::equals).hasSize(1);
        // The tokens, and the cells for two sizes of tables.
        assertThat(subjects(launches.getFirst())).hasSize(3).anyMatch(subject -> subject.contains("GET_ROWS"));
        assertThat(launches.getFirst().isDependent()).isTrue();
    }

    @Test
    void moreListsThanALaunchTakesAreSeveralLaunches() {
        Tensor[] results = new Tensor[5];
        for (int i = 0; i < results.length; i++) {
            results[i] =
                    b.getRows(b.weight("table" + i, ElementType.F32, 8, 10), b.input("tokens" + i, ElementType.I32, 3));
        }
        List<Launch> launches = launches(b.build(results));
        assertThat(kernels(launches)).filteredOn(CHECK::equals).hasSize(2);
        assertThat(subjects(launches.get(0))).hasSize(4);
        assertThat(subjects(launches.get(1))).hasSize(1);
    }

    @Test
    void numbersThatANodeComputesAreCheckedBetweenItAndItsUser() {
        Tensor numbers = b.getRows(b.weight("numbers", ElementType.I32, 4, 6), b.input("which", ElementType.I32, 1));
        Tensor rows = b.getRows(b.weight("table", ElementType.F32, 8, 10), b.reshape(numbers, 4));

        List<Launch> launches = launches(b.build(rows));

        assertThat(kernels(launches)).containsExactly(CHECK, "get_rows_16", CHECK, "get_rows_16");
        assertThat(subjects(launches.get(2))).singleElement().asString().contains("8");
    }

    @Test
    void anOrderNeedsNoCheckWhereTheTableHasARowForEach() {
        Tensor order = b.argsort(b.input("scores", ElementType.F32, 10, 1), SortOrder.DESC);
        Tensor best = b.reshape(order, 10);
        Tensor enough = b.getRows(b.weight("enough", ElementType.F32, 8, 10), best);
        Tensor tooFew = b.getRows(b.weight("too few", ElementType.F32, 8, 9), best);
        assertThat(kernels(launches(b.build(enough)))).doesNotContain(CHECK);
        assertThat(kernels(launches(b.build(tooFew)))).contains(CHECK);
    }
}
