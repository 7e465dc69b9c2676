package dev.stowage.schedule.pass;

import dev.stowage.graph.Graph;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Where devices that work on while the caller does something else reach for the same bytes without a copy in between,
 * which ggml leaves to the devices. Two devices are <em>entangled</em> when their results lie in the same memory or one
 * reads in place what the other writes; a split then waits for every such device that may still be at work.
 *
 * <p>Most machines have none: every accelerator has memory of its own and the processor is done when it returns.
 */
public final class Hazards {

    private final AssignmentTable board;
    private final Graph graph;
    private final boolean[] async;
    private final boolean[] entangled;
    private final boolean[] readInFlight;
    private final boolean[] written;
    /** By id the devices that write into a tensor that is on another one. */
    private final Map<Integer, BitSet> strangers = new HashMap<>();

    private Hazards(AssignmentTable board) {
        this.board = board;
        this.graph = board.graph();
        this.async = new boolean[board.devices().count()];
        this.entangled = new boolean[async.length * async.length];
        boolean any = false;
        for (int device = 0; device < async.length; device++) {
            async[device] = board.isAsync(device);
            any |= async[device];
        }
        this.readInFlight = new boolean[any ? graph.size() : 0];
        this.written = new boolean[any ? graph.size() : 0];
    }

    /** The hazards of a graph whose tensors all have a device. */
    public static Hazards of(AssignmentTable board) {
        Hazards hazards = new Hazards(board);
        if (hazards.written.length > 0) {
            hazards.find();
        }
        return hazards;
    }

    private void find() {
        for (int one = 0; one < async.length; one++) {
            for (int other = 0; other < async.length; other++) {
                if (one != other && board.shareMemory(one, other)) {
                    entangle(one, other);
                }
            }
        }
        for (int id = 0; id < graph.nodeCount(); id++) {
            if (!graph.isViewOp(id)) {
                int root = board.root(id);
                written[root] = true;
                if (board.device(id) != board.device(root)) {
                    strangers.computeIfAbsent(root, _ -> new BitSet()).set(board.device(id));
                }
            }
        }
        for (int id = 0; id < graph.nodeCount(); id++) {
            if (!graph.isViewOp(id)) {
                find(id);
            }
        }
    }

    private void find(int id) {
        int device = board.device(id);
        for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
            int source = graph.sourceAt(slot);
            if (source == Graph.NO_ID || !board.reaches(source, device)) {
                continue;
            }
            int root = board.root(source);
            readInFlight[root] |= async[device];
            if (!board.isPlaced(root) || written[root]) {
                entangleWithMemoryOf(root, device);
            }
        }
        entangleWithMemoryOf(id, device);
    }

    private void entangleWithMemoryOf(int id, int device) {
        for (int other = 0; other < async.length; other++) {
            if (board.worksIn(other, id)) {
                entangle(device, other);
            }
        }
        entangle(device, board.device(board.root(id)));
        BitSet writers = strangers.isEmpty() ? null : strangers.get(board.root(id));
        if (writers != null) {
            writers.stream().forEach(writer -> entangle(device, writer));
        }
    }

    private void entangle(int one, int other) {
        if (one != other) {
            entangled[one * async.length + other] = true;
            entangled[other * async.length + one] = true;
        }
    }

    /** Whether a split on a device must wait until another is done with all it has been handed. */
    public boolean mustWaitFor(int device, int other) {
        return entangled[device * async.length + other] && async[other];
    }

    /**
     * Whether the memory that a device touches may be that of another, maybe by way of a third: two devices that both reach
     * for what is stored with the processor share its memory.
     */
    public boolean mayShareMemory(int device, int other) {
        boolean[] seen = new boolean[async.length];
        return mayShareMemory(device, other, seen);
    }

    private boolean mayShareMemory(int device, int other, boolean[] seen) {
        seen[device] = true;
        for (int next = 0; next < async.length; next++) {
            if (entangled[device * async.length + next]
                    && !seen[next]
                    && (next == other || mayShareMemory(next, other, seen))) {
                return true;
            }
        }
        return false;
    }

    /** Whether any device goes on working while the caller does something else. */
    public boolean isAnyAsync() {
        return written.length > 0;
    }

    /** Whether a device goes on working while the caller does something else. */
    public boolean isAsync(int device) {
        return async[device];
    }

    /** Whether a tensor is read where it lies by a device that works on while the caller does something else. */
    boolean isReadInFlight(int id) {
        return readInFlight.length > 0 && readInFlight[board.root(id)];
    }

    /** Whether the place of a tensor may become that of one a device still works on while the caller does something else. */
    boolean isWrittenOverInFlight(int id) {
        for (int device = 0; device < async.length; device++) {
            if (async[device] && !board.isPlaced(id) && board.reaches(id, device)) {
                return true;
            }
        }
        return false;
    }
}
