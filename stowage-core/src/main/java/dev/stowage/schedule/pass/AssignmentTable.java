package dev.stowage.schedule.pass;

import dev.stowage.device.Capability;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.BufferUsage;
import dev.stowage.schedule.DeviceSet;
import dev.stowage.schedule.Rule;
import dev.stowage.schedule.ScheduleRequest;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;

/**
 * What the passes work on: for every tensor of a graph, by id, the device it is on so far and why, and the answers of the
 * devices, each asked once: which runs that op, which reads that memory.
 */
public final class AssignmentTable {

    /** Stands for "no device yet". */
    public static final int NONE = -1;

    /** Stands for "in no memory yet". */
    static final int NOWHERE = -1;

    private static final byte UNKNOWN = 0;
    private static final byte YES = 1;
    private static final byte NO = 2;

    private final Graph graph;
    private final DeviceSet devices;

    private final int[] device;
    private final byte[] rule;
    private final int[] because;

    private final byte[] support;

    /** By id the kind of memory a tensor lies in, as a number of {@link #types}; a view lies where its source lies. */
    private final int[] liesIn;

    private final boolean[] weight;

    private BufferType[] types;
    private int typeCount;
    private final int[] typeOfDevice;
    private boolean[] reads;

    /** The table that the passes start from: only what the caller has assigned is in it. */
    public static AssignmentTable of(ScheduleRequest request) {
        Graph graph = request.graph();
        AssignmentTable board = new AssignmentTable(graph, request.devices());
        request.assignments().forEach((tensor, device) -> {
            request.devices().device(device);
            if (graph.contains(tensor)) {
                board.assign(graph.idOf(tensor), device, Rule.CALLER);
            }
        });
        return board;
    }

    AssignmentTable(Graph graph, DeviceSet devices) {
        this.graph = graph;
        this.devices = devices;
        this.device = new int[graph.size()];
        this.rule = new byte[graph.size()];
        this.because = new int[graph.size()];
        this.support = new byte[graph.nodeCount() * devices.count()];
        this.liesIn = new int[graph.size()];
        this.weight = new boolean[graph.size()];
        this.types = new BufferType[devices.count() + 4];
        this.typeOfDevice = new int[devices.count()];
        this.reads = new boolean[types.length * devices.count()];
        for (int number = 0; number < devices.count(); number++) {
            if (devices.device(number).capabilities().contains(Capability.BULK_QUERIES)) {
                askInBulk(number);
            }
        }
        Arrays.fill(device, NONE);
        Arrays.fill(because, Graph.NO_ID);
        for (int number = 0; number < typeOfDevice.length; number++) {
            typeOfDevice[number] = typeNumber(devices.bufferType(number));
        }
        locate();
    }

    /** Records the kind of memory of every tensor that has memory of its own. */
    private void locate() {
        for (int id = 0; id < liesIn.length; id++) {
            liesIn[id] = graph.viewSource(id) == Graph.NO_ID ? locate(id) : NOWHERE;
        }
        for (int id = 0; id < liesIn.length; id++) {
            if (graph.viewSource(id) != Graph.NO_ID) {
                liesIn[id] = liesIn[graph.viewSource(id)];
            }
        }
    }

    private int locate(int id) {
        Tensor tensor = graph.tensor(id);
        if (!tensor.isPlaced()) {
            return NOWHERE;
        }
        Buffer buffer = Buffer.of(tensor);
        weight[id] = graph.isWeight(id) || buffer.usage() == BufferUsage.WEIGHTS;
        return typeNumber(buffer.type());
    }

    private int typeNumber(BufferType type) {
        for (int number = 0; number < typeCount; number++) {
            if (isSame(types[number], type)) {
                return number;
            }
        }
        for (int number = 0; number < typeCount; number++) {
            if (types[number].equals(type)) {
                return number;
            }
        }
        if (typeCount == types.length) {
            types = Arrays.copyOf(types, 2 * typeCount);
            reads = Arrays.copyOf(reads, types.length * devices.count());
        }
        types[typeCount] = type;
        for (int number = 0; number < devices.count(); number++) {
            reads[typeCount * devices.count() + number] = devices.device(number).supportsBufferType(type);
        }
        return typeCount++;
    }

    @SuppressWarnings("ReferenceEquality") // nearly always they are, and comparing them otherwise takes longer
    private static boolean isSame(BufferType one, BufferType other) {
        return one == other;
    }

    private void askInBulk(int number) {
        boolean[] answers = devices.device(number).supports(graph);
        for (int node = 0; node < answers.length; node++) {
            support[node * devices.count() + number] = answers[node] ? YES : NO;
        }
    }

    public Graph graph() {
        return graph;
    }

    public DeviceSet devices() {
        return devices;
    }

    int last() {
        return devices.last();
    }

    boolean isAssigned(int id) {
        return device[id] != NONE;
    }

    /** The device a tensor is on so far, or {@link #NONE}. */
    public int device(int id) {
        return device[id];
    }

    public void assign(int id, int number, Rule newRule) {
        assign(id, number, newRule, Graph.NO_ID);
    }

    public void assign(int id, int number, Rule newRule, int because) {
        device[id] = number;
        rule[id] = newRule.code();
        this.because[id] = because;
    }

    /** Whether a tensor is where the caller wanted it. */
    public boolean isCallersChoice(int id) {
        return device[id] != NONE && rule[id] == Rule.CALLER.code();
    }

    /** Has a tensor be on another device for now, for the reason it had. */
    public void move(int id, int number) {
        device[id] = number;
    }

    /** By id the devices assigned so far; live. */
    public int[] deviceTable() {
        return device;
    }

    /** By id the codes of the rules that assigned them; live. */
    public byte[] ruleTable() {
        return rule;
    }

    /** By id the tensor that a rule went by, or {@link Graph#NO_ID}; live. */
    public int[] reasonTable() {
        return because;
    }

    /** Whether a device can compute a node; what has no op can be anywhere. */
    public boolean runs(int id, int number) {
        int at = id * typeOfDevice.length + number;
        if (at >= support.length || !graph.isComputed(id)) {
            return true;
        }
        byte answer = support[at];
        if (answer == UNKNOWN) {
            answer = devices.device(number).supports(graph.tensor(id)).isSupported() ? YES : NO;
            support[at] = answer;
        }
        return answer == YES;
    }

    /** Whether a tensor, or the one it is a view of, lies in memory of its own. */
    public boolean isPlaced(int id) {
        return liesIn[id] != NOWHERE;
    }

    /** Whether a tensor lies in a buffer of weights, itself and not through a view. */
    boolean isPlacedWeight(int id) {
        return weight[id];
    }

    boolean isInHostMemory(int id) {
        return liesIn[id] != NOWHERE && types[liesIn[id]].isHost();
    }

    /** Whether a device reads a tensor where it is or will be stored; what has neither place nor device nobody reads. */
    public boolean reads(int id, int number) {
        int type = memoryOf(id);
        return type != NOWHERE && reads[type * devices.count() + number];
    }

    /**
     * Whether a device needs a copy of a tensor to read it, once everything has a device: as in ggml where it does not read
     * the memory of the tensor's device, and also where the bytes of a view are stored where it does not reach.
     */
    public boolean mustBeCopied(int id, int reader) {
        int count = typeOfDevice.length;
        if (liesIn[id] != NOWHERE) {
            return !reads[liesIn[id] * count + reader];
        }
        int viewSource = graph.viewSource(id);
        return !reads[typeOfDevice[device[id]] * count + reader]
                || (viewSource != Graph.NO_ID && !reads[typeOfDevice[device[viewSource]] * count + reader]);
    }

    /** Whether a device reads a tensor where it really lies or will lie, which for a view is where its source does. */
    public boolean reaches(int id, int number) {
        return reads(root(id), number);
    }

    /** The tensor whose bytes these are: itself, or what it is a view of. */
    public int root(int id) {
        return graph.viewSource(id) == Graph.NO_ID ? id : graph.viewSource(id);
    }

    /** Whether the results of a device lie in the same memory as a tensor. */
    public boolean worksIn(int number, int id) {
        return typeOfDevice[number] == memoryOf(root(id));
    }

    /** Whether each device reads the memory of its own results and no other's that is spoken of here. */
    public boolean isEachForItself() {
        for (int type = 0; type < typeCount; type++) {
            int readers = 0;
            for (int number = 0; number < devices.count(); number++) {
                readers += reads[type * devices.count() + number] ? 1 : 0;
            }
            if (readers > 1) {
                return false;
            }
        }
        return true;
    }

    /** Whether every device that reads the results of one also reads that tensor, wherever it lies. */
    public boolean readersReach(int number, int id) {
        int type = memoryOf(root(id));
        for (int reader = 0; reader < devices.count(); reader++) {
            if (reads[typeOfDevice[number] * devices.count() + reader]
                    && (type == NOWHERE || !reads[type * devices.count() + reader])) {
                return false;
            }
        }
        return true;
    }

    /** The number of the kind of memory a tensor is or will be stored in, or {@link #NOWHERE}. */
    private int memoryOf(int id) {
        if (liesIn[id] != NOWHERE) {
            return liesIn[id];
        }
        if (device[id] != NONE) {
            return typeOfDevice[device[id]];
        }
        int viewSource = graph.viewSource(id);
        return viewSource != Graph.NO_ID && device[viewSource] != NONE ? typeOfDevice[device[viewSource]] : NOWHERE;
    }

    /** Whether the results of two devices lie in the same memory. */
    boolean shareMemory(int one, int other) {
        return typeOfDevice[one] == typeOfDevice[other];
    }

    /** Whether a device goes on working while the caller does something else. */
    boolean isAsync(int number) {
        return devices.device(number).capabilities().contains(Capability.ASYNC);
    }

    /** The first device that reads the memory {@code stored} lies in and computes {@code id}, or {@link #NONE}. */
    int firstReadingAndRunning(int stored, int id) {
        int count = typeOfDevice.length;
        for (int number = 0; number < count; number++) {
            if (reads[liesIn[stored] * count + number] && runs(id, number)) {
                return number;
            }
        }
        return NONE;
    }

    /** The kind of memory a tensor is stored in or will be, for messages; empty where that is not known yet. */
    String memoryName(int id) {
        int memory = memoryOf(id);
        return memory == NOWHERE ? "" : types[memory].name();
    }
}
