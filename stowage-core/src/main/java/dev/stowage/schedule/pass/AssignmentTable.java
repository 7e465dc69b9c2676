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
import java.util.function.IntPredicate;

/**
 * The state of the assignment passes ({@code tensor_backend_id} in ggml): by tensor id, the device so far and the
 * reason. It also caches the answers of the devices: which run an op, and which read a buffer type.
 */
public final class AssignmentTable {

    /** No device yet. */
    public static final int NONE = -1;

    /** No memory yet. */
    static final int NOWHERE = -1;

    private static final byte UNKNOWN = 0;
    private static final byte YES = 1;
    private static final byte NO = 2;

    private final Graph graph;
    private final DeviceSet devices;

    private final int[] device;
    private final Rule[] rule;
    private final int[] because;

    private final byte[] support;

    /** By id, the index in {@link #types} of the memory a tensor has of its own; a view has that of its source. */
    private final int[] ownMemory;

    private final boolean[] weight;

    private BufferType[] types;
    private int typeCount;
    private final int[] typeOfDevice;
    private boolean[] reads;

    /** The table that the passes start from, with the caller's assignments. */
    public static AssignmentTable of(ScheduleRequest request) {
        Graph graph = request.graph();
        AssignmentTable table = new AssignmentTable(graph, request.devices());
        request.assignments().forEach((tensor, device) -> {
            request.devices().device(device);
            if (graph.contains(tensor)) {
                table.assign(graph.idOf(tensor), device, Rule.CALLER);
            }
        });
        return table;
    }

    AssignmentTable(Graph graph, DeviceSet devices) {
        this.graph = graph;
        this.devices = devices;
        this.device = new int[graph.size()];
        this.rule = new Rule[graph.size()];
        this.because = new int[graph.size()];
        this.support = new byte[graph.nodeCount() * devices.count()];
        this.ownMemory = new int[graph.size()];
        this.weight = new boolean[graph.size()];
        this.types = new BufferType[devices.count() + 4];
        this.typeOfDevice = new int[devices.count()];
        this.reads = new boolean[types.length * devices.count()];
        Arrays.fill(device, NONE);
        Arrays.fill(rule, Rule.CALLER);
        Arrays.fill(because, Graph.NO_ID);
        for (int number = 0; number < devices.count(); number++) {
            if (devices.device(number).capabilities().contains(Capability.BULK_QUERIES)) {
                askInBulk(number);
            }
            typeOfDevice[number] = typeNumber(devices.bufferType(number));
        }
        for (int id = 0; id < ownMemory.length; id++) {
            ownMemory[id] = locate(id);
        }
    }

    /** The buffer type of a tensor with memory of its own, or {@link #NOWHERE}; records whether it is a weight. */
    private int locate(int id) {
        Tensor tensor = graph.tensor(id);
        if (!tensor.isPlaced()) {
            return NOWHERE;
        }
        Buffer buffer = Buffer.of(tensor);
        weight[id] = !tensor.isView() && (graph.isWeight(id) || buffer.usage() == BufferUsage.WEIGHTS);
        return typeNumber(buffer.type());
    }

    private int typeNumber(BufferType type) {
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
        rule[id] = newRule;
        this.because[id] = because;
    }

    public boolean isCallersChoice(int id) {
        return device[id] != NONE && rule[id] == Rule.CALLER;
    }

    /** Moves a tensor to another device, keeping the reason. */
    public void move(int id, int number) {
        device[id] = number;
    }

    public Rule rule(int id) {
        return rule[id];
    }

    /** The tensor that the rule refers to, or {@link Graph#NO_ID}. */
    public int because(int id) {
        return because[id];
    }

    /** Whether a device runs a node; a tensor without an op can be anywhere. */
    public boolean runs(int id, int number) {
        int at = id * typeOfDevice.length + number;
        if (at >= support.length || !graph.isComputed(id)) {
            return true;
        }
        if (support[at] == UNKNOWN) {
            support[at] = devices.device(number).supports(graph.tensor(id)).isSupported() ? YES : NO;
        }
        return support[at] == YES;
    }

    /** Whether a tensor, or its view source, has memory of its own. */
    public boolean isPlaced(int id) {
        return ownMemory[id] != NOWHERE;
    }

    /** Whether a tensor, not as a view, is in a buffer of weights. */
    boolean isPlacedWeight(int id) {
        return weight[id];
    }

    boolean isInHostMemory(int id) {
        return ownMemory[id] != NOWHERE && types[ownMemory[id]].isHost();
    }

    /** Whether a device reads a tensor in place; false if the tensor has neither memory nor device. */
    public boolean reads(int id, int number) {
        int type = memoryOf(id);
        return type != NOWHERE && reads[type * devices.count() + number];
    }

    /**
     * Whether a device needs a copy of an assigned tensor: as in ggml if it does not read the memory of the tensor's
     * device, and also if it does not read the memory of the source of a view.
     */
    public boolean mustBeCopied(int id, int reader) {
        if (ownMemory[id] != NOWHERE) {
            return !reads[ownMemory[id] * typeOfDevice.length + reader];
        }
        return !readsResultsOf(device[id], reader) || !readsResultsOf(device[graph.root(id)], reader);
    }

    /** Whether a device reads the results of another in place. */
    public boolean readsResultsOf(int producer, int reader) {
        return producer == reader || reads[typeOfDevice[producer] * typeOfDevice.length + reader];
    }

    /** Whether a device reads a tensor in place, a view in the memory of its source. */
    public boolean reaches(int id, int number) {
        return reads(graph.root(id), number);
    }

    /** Whether the results of a device have the same memory as a tensor. */
    public boolean worksIn(int number, int id) {
        return typeOfDevice[number] == memoryOf(graph.root(id));
    }

    /** Whether no memory is read by more than one device. */
    public boolean hasSeparateMemories() {
        int[] readers = new int[typeCount];
        for (int at = 0; at < typeCount * devices.count(); at++) {
            if (reads[at] && ++readers[at / devices.count()] > 1) {
                return false;
            }
        }
        return true;
    }

    /** Whether every device that reads the results of a device also reads that tensor. */
    public boolean readersReach(int number, int id) {
        int type = memoryOf(graph.root(id));
        for (int reader = 0; reader < devices.count(); reader++) {
            if (reads[typeOfDevice[number] * devices.count() + reader]
                    && (type == NOWHERE || !reads[type * devices.count() + reader])) {
                return false;
            }
        }
        return true;
    }

    /** The index of the buffer type a tensor is or will be stored in, or {@link #NOWHERE}. */
    int memoryOf(int id) {
        if (ownMemory[id] != NOWHERE) {
            return ownMemory[id];
        }
        int assigned = device[id] != NONE ? device[id] : device[graph.root(id)];
        return assigned == NONE ? NOWHERE : typeOfDevice[assigned];
    }

    /** Whether the results of two devices have the same memory. */
    boolean shareMemory(int one, int other) {
        return typeOfDevice[one] == typeOfDevice[other];
    }

    /** The first device that meets a condition, or {@link #NONE}. */
    int first(IntPredicate condition) {
        for (int number = 0; number < devices.count(); number++) {
            if (condition.test(number)) {
                return number;
            }
        }
        return NONE;
    }

    /** The name of the buffer type of a tensor for messages; empty if not known yet. */
    String memoryName(int id) {
        int memory = memoryOf(id);
        return memory == NOWHERE ? "" : types[memory].name();
    }
}
