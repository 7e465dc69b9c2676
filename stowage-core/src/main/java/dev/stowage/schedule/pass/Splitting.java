package dev.stowage.schedule.pass;

import dev.stowage.internal.IntList;

/**
 * The splits of a graph as plain numbers: where each begins, which inputs it brings over, and which slots of the graph
 * read a copy instead of the tensor itself.
 */
public final class Splitting {

    private final int nodeCount;
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

    Splitting(int nodeCount) {
        this.nodeCount = nodeCount;
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
     * Has the current split bring over a tensor from a device; the number of the input.
     *
     * @param before the last input that brought over the same tensor, to any device
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
        return split + 1 < starts.size() ? starts.get(split + 1) : nodeCount;
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

    /** The id of the tensor that an input brings over. */
    public int inputSource(int input) {
        return inputSources.get(input);
    }

    /** The device an input brings it to. */
    public int inputDevice(int input) {
        return inputDevices.get(input);
    }

    /** The device an input is brought from. */
    public int inputFrom(int input) {
        return inputOrigins.get(input);
    }

    /** The first node of the split that an input was made for. */
    int inputStart(int input) {
        return inputStarts.get(input);
    }

    /** The last input before that one that brings over the same tensor, to any device. */
    int inputBefore(int input) {
        return inputsBefore.get(input);
    }

    /** The first node of the split that is being filled. */
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

    /** The ids of the inputs of the graph that are read, in the order they are met; only counted with a pipeline. */
    public int graphInputCount() {
        return graphInputs.size();
    }

    public int graphInput(int index) {
        return graphInputs.get(index);
    }
}
