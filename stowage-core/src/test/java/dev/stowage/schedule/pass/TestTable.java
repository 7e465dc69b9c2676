package dev.stowage.schedule.pass;

import dev.stowage.graph.Graph;
import dev.stowage.schedule.DeviceSet;
import dev.stowage.schedule.FakeDevice;
import dev.stowage.schedule.Reason;
import dev.stowage.schedule.Rule;
import dev.stowage.schedule.TestAssignments;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A table with a few tensors on it, so that a test of one pass reads as a sentence: over these devices, computing that,
 * with this one there already, seeded.
 */
public final class TestTable {

    private final DeviceSet devices;
    private final AssignmentTable table;

    private TestTable(DeviceSet devices, Graph graph) {
        this.devices = devices;
        this.table = new AssignmentTable(graph, devices);
    }

    static Over over(FakeDevice... devices) {
        return new Over(DeviceSet.of(devices));
    }

    /** The devices, still without a graph. */
    record Over(DeviceSet devices) {

        TestTable computing(Tensor... roots) {
            return of(Graph.of(roots));
        }

        TestTable of(Graph graph) {
            return new TestTable(devices, graph);
        }
    }

    /** Has a tensor be on a device already, as if an earlier pass or the caller had put it there. */
    TestTable with(Tensor tensor, FakeDevice device) {
        table.assign(table.graph().idOf(tensor), devices.numberOf(device), Rule.CALLER);
        return this;
    }

    TestTable seeded() {
        SeedPass.run(table, false);
        return this;
    }

    TestTable seededWithOffloading() {
        SeedPass.run(table, true);
        return this;
    }

    TestTable expanded() {
        ExpandPass.run(table);
        return this;
    }

    TestTable settled() {
        ResolvePass.run(table);
        return this;
    }

    TestTable filled() {
        FillPass.run(table, true);
        return this;
    }

    TestTable repaired() {
        RepairPass.run(table, true);
        return this;
    }

    /** As all the passes that assign devices leave it. */
    TestTable placed() {
        AssignmentPasses.run(table, false);
        return this;
    }

    Splitting split() {
        return SplitPass.run(table, false);
    }

    Splitting splitForAPipeline() {
        return SplitPass.run(table, true);
    }

    Hazards hazards() {
        return Hazards.of(table);
    }

    AssignmentTable table() {
        return table;
    }

    Graph graph() {
        return table.graph();
    }

    /** The device a tensor is on so far, if it is on one. */
    Optional<FakeDevice> deviceOf(Tensor tensor) {
        int number = table.device(table.graph().idOf(tensor));
        return number == AssignmentTable.NONE ? Optional.empty() : Optional.of((FakeDevice) devices.device(number));
    }

    Reason reasonOf(Tensor tensor) {
        return TestAssignments.of(table).reason(table.graph().idOf(tensor));
    }

    /** The nodes of every split, by name. */
    public static List<List<String>> nodesOf(Splitting splitting, Graph graph) {
        List<List<String>> splits = new ArrayList<>();
        for (int split = 0; split < splitting.count(); split++) {
            List<String> names = new ArrayList<>();
            for (int node = splitting.firstNode(split); node < splitting.endNode(split); node++) {
                names.add(graph.label(node));
            }
            splits.add(names);
        }
        return splits;
    }

    /** What every split brings over, by name. */
    public static List<List<String>> inputsOf(Splitting splitting, Graph graph) {
        List<List<String>> splits = new ArrayList<>();
        for (int split = 0; split < splitting.count(); split++) {
            List<String> names = new ArrayList<>();
            for (int input = splitting.firstInput(split); input < splitting.endInput(split); input++) {
                names.add(graph.label(splitting.input(input).source()));
            }
            splits.add(names);
        }
        return splits;
    }

    /** Which slots read a copy, as {@code reader reads source}. */
    static List<String> rewiringOf(Splitting splitting, Graph graph) {
        List<String> rewired = new ArrayList<>();
        for (int index = 0; index < splitting.rewiredCount(); index++) {
            int slot = splitting.rewiredSlot(index);
            int reader = 0;
            while (graph.endSlot(reader) <= slot) {
                reader++;
            }
            int input = splitting.rewiredInput(index);
            rewired.add(graph.label(reader) + " reads "
                    + graph.label(splitting.input(input).source()) + " on "
                    + splitting.input(input).device());
        }
        return rewired;
    }
}
