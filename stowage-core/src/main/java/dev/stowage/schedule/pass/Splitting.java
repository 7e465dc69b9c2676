package dev.stowage.schedule.pass;

import dev.stowage.graph.Graph;
import dev.stowage.internal.IntList;

/** The splits of a graph as arrays: the first node of each, its inputs, and the slots that read a copy. */
public final class Splitting {

    private static final int NO_WRITER = -1;

    private final Graph graph;
    private final IntList starts = new IntList(64);
    private final IntList devices = new IntList(64);
    private final IntList inputEnds = new IntList(64);
    private final IntList inputSources = new IntList(64);
    private final IntList inputDevices = new IntList(64);
    private final IntList inputOrigins = new IntList(64);
    private final IntList inputStarts = new IntList(64);
    private final IntList inputsBefore = new IntList(64);
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
            inputEnds.add(inputSources.size());
        }
        starts.add(node);
        devices.add(device);
    }

    void end() {
        inputEnds.add(inputSources.size());
    }

    boolean currentHasInputs() {
        return inputSources.size() > (inputEnds.size() == 0 ? 0 : inputEnds.last());
    }

    /**
     * Adds an input to the current split; returns its number.
     *
     * @param before the previous input of the same tensor, on any device
     */
    int addInput(int source, int from, int before) {
        inputsBefore.add(before);
        inputSources.add(source);
        inputDevices.add(devices.last());
        inputOrigins.add(from);
        inputStarts.add(starts.last());
        return inputSources.size() - 1;
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
        return inputSources.size();
    }

    /** The id of the tensor that is copied. */
    public int inputSource(int input) {
        return inputSources.get(input);
    }

    /** The device an input is copied to. */
    public int inputDevice(int input) {
        return inputDevices.get(input);
    }

    /** The device an input is copied from. */
    public int inputFrom(int input) {
        return inputOrigins.get(input);
    }

    /** The first node of the split of an input. */
    int inputStart(int input) {
        return inputStarts.get(input);
    }

    /** The previous input of the same tensor, on any device. */
    int inputBefore(int input) {
        return inputsBefore.get(input);
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
