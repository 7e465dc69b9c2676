package dev.stowage.schedule.pass;

import dev.stowage.graph.Graph;
import dev.stowage.internal.IntList;
import java.util.ArrayList;
import java.util.List;

/** The splits of a graph as arrays: the first node of each, its inputs, and the slots that read a copy. */
public final class Splitting {

    /**
     * A tensor that is copied before a split.
     *
     * @param source the id of the tensor
     * @param from the device it is copied from
     * @param device the device it is copied to
     * @param start the first node of the split
     * @param before the previous input of the same tensor, on any device
     */
    public record Input(int source, int from, int device, int start, int before) {}

    private static final int NO_WRITER = -1;

    private final Graph graph;
    private final IntList starts = new IntList(64);
    private final IntList devices = new IntList(64);
    private final IntList inputEnds = new IntList(64);
    private final List<Input> inputs = new ArrayList<>();
    private final IntList rewiredSlots = new IntList(64);
    private final IntList rewiredInputs = new IntList(64);
    private final IntList graphInputs = new IntList(64);

    /** By tensor, one more than the last node that writes into it through a view; empty if there is none. */
    private int[] writers = {};

    Splitting(Graph graph) {
        this.graph = graph;
    }

    void start(int node, int device) {
        if (starts.size() > 0) {
            inputEnds.add(inputs.size());
        }
        starts.add(node);
        devices.add(device);
    }

    void end() {
        inputEnds.add(inputs.size());
    }

    boolean currentHasInputs() {
        return inputs.size() > (inputEnds.size() == 0 ? 0 : inputEnds.last());
    }

    /** Adds an input to the current split; returns its number. */
    int addInput(int source, int from, int before) {
        inputs.add(new Input(source, from, devices.last(), starts.last(), before));
        return inputs.size() - 1;
    }

    void rewire(int slot, int input) {
        rewiredSlots.add(slot);
        rewiredInputs.add(input);
    }

    void write(int written, int writer) {
        if (writers.length == 0) {
            writers = new int[graph.size()];
        }
        writers[written] = writer + 1;
    }

    /** The last node that writes into a tensor through a view, or -1. */
    int lastWriter(int id) {
        return writers.length == 0 ? NO_WRITER : writers[id] - 1;
    }

    /** Whether a node writes into the bytes of a leaf. */
    public boolean isWritten(int leaf) {
        return lastWriter(graph.root(leaf)) != NO_WRITER;
    }

    void addGraphInput(int id) {
        graphInputs.add(id);
    }

    public int count() {
        return starts.size();
    }

    public int device(int split) {
        return devices.get(split);
    }

    public int firstNode(int split) {
        return starts.get(split);
    }

    public int endNode(int split) {
        return split + 1 < starts.size() ? starts.get(split + 1) : graph.nodeCount();
    }

    public int firstInput(int split) {
        return split == 0 ? 0 : inputEnds.get(split - 1);
    }

    public int endInput(int split) {
        return inputEnds.get(split);
    }

    public int inputCount() {
        return inputs.size();
    }

    public Input input(int number) {
        return inputs.get(number);
    }

    /** The first node of the current split. */
    int currentStart() {
        return starts.last();
    }

    public int rewiredCount() {
        return rewiredSlots.size();
    }

    public int rewiredSlot(int index) {
        return rewiredSlots.get(index);
    }

    public int rewiredInput(int index) {
        return rewiredInputs.get(index);
    }

    /** How many graph inputs are read; counted only with a pipeline. */
    public int graphInputCount() {
        return graphInputs.size();
    }

    public int graphInput(int index) {
        return graphInputs.get(index);
    }
}
