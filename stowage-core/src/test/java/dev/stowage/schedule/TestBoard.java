package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A board with a few tensors on it, so that a test of one pass reads as a sentence: over these devices, computing that,
 * with this one there already, seeded.
 */
final class TestBoard {

    private final DeviceSet devices;
    private final Board board;

    private TestBoard(DeviceSet devices, Graph graph) {
        this.devices = devices;
        this.board = new Board(graph, devices);
    }

    static Over over(FakeDevice... devices) {
        return new Over(DeviceSet.of(devices));
    }

    /** The devices, still without a graph. */
    record Over(DeviceSet devices) {

        TestBoard computing(Tensor... roots) {
            return of(Graph.of(roots));
        }

        TestBoard of(Graph graph) {
            return new TestBoard(devices, graph);
        }
    }

    /** Has a tensor be on a device already, as if an earlier pass or the caller had put it there. */
    TestBoard with(Tensor tensor, FakeDevice device) {
        board.assign(board.graph().idOf(tensor), devices.numberOf(device), Rule.CALLER);
        return this;
    }

    TestBoard seeded() {
        SeedPass.run(board, false);
        return this;
    }

    TestBoard seededWithOffloading() {
        SeedPass.run(board, true);
        return this;
    }

    TestBoard expanded() {
        ExpandPass.run(board);
        return this;
    }

    TestBoard settled() {
        SettlePass.run(board);
        return this;
    }

    TestBoard filled() {
        FillPass.run(board);
        return this;
    }

    TestBoard mended() {
        MendPass.run(board);
        return this;
    }

    /** As all the passes that assign devices leave it. */
    TestBoard placed() {
        AssignmentPasses.run(board, false);
        return this;
    }

    Splitting split() {
        return SplitPass.run(board, false);
    }

    Splitting splitForAPipeline() {
        return SplitPass.run(board, true);
    }

    Hazards hazards() {
        return Hazards.of(board);
    }

    Board board() {
        return board;
    }

    Graph graph() {
        return board.graph();
    }

    /** The device a tensor is on so far, if it is on one. */
    Optional<FakeDevice> deviceOf(Tensor tensor) {
        int number = board.device(board.graph().idOf(tensor));
        return number == Board.NONE ? Optional.empty() : Optional.of((FakeDevice) devices.device(number));
    }

    Reason reasonOf(Tensor tensor) {
        return TestAssignments.of(board).reason(board.graph().idOf(tensor));
    }

    /** The nodes of every split, by name. */
    static List<List<String>> nodesOf(Splitting splitting, Graph graph) {
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
    static List<List<String>> inputsOf(Splitting splitting, Graph graph) {
        List<List<String>> splits = new ArrayList<>();
        for (int split = 0; split < splitting.count(); split++) {
            List<String> names = new ArrayList<>();
            for (int input = splitting.firstInput(split); input < splitting.endInput(split); input++) {
                names.add(graph.label(splitting.inputSource(input)));
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
            rewired.add(graph.label(reader) + " reads " + graph.label(splitting.inputSource(input)) + " on "
                    + splitting.inputDevice(input));
        }
        return rewired;
    }
}
