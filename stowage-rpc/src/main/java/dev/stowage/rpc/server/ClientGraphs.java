package dev.stowage.rpc.server;

import dev.stowage.device.PreparedGraph;
import dev.stowage.error.AllocationException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.GraphMessage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The graphs of a client, prepared. Of each device the last ones are kept with the messages that described them: a client
 * that goes from prompts to generation and back sends the same few over and over, and preparing one takes longer than
 * running it. What is kept counts as memory of the client.
 */
final class ClientGraphs implements AutoCloseable {

    /** The longest message that describes a graph; one of a hundred thousand tensors has 30 MB. */
    private static final int MOST_MESSAGE_BYTES = 64 << 20;

    /** A tensor of a message becomes objects of about three times its size. */
    private static final long OBJECTS_PER_BYTE = 3;

    private static final int MOST_KEPT = 4;

    /** A graph and the message it was made from. */
    private static final class Kept {

        private final byte[] message;
        private final PreparedGraph prepared;
        private final long heap;
        private final long scratch;

        Kept(byte[] message, PreparedGraph prepared, long heap, long scratch) {
            this.message = message;
            this.prepared = prepared;
            this.heap = heap;
            this.scratch = scratch;
        }

        boolean is(byte[] other) {
            return Arrays.equals(message, other);
        }

        boolean uses(ClientBuffers.Held held) {
            for (int i = 0; i < prepared.graph().bufferCount(); i++) {
                if (held.is(prepared.graph().distinctBuffer(i))) {
                    return true;
                }
            }
            return false;
        }
    }

    private final List<ServedDevice> devices;
    private final ClientBuffers buffers;
    private final Dialect dialect;
    private final MemoryShare share;

    /** By device, the one that ran last first. */
    private final List<Deque<Kept>> kept = new ArrayList<>();

    /** By device what GRAPH_RECOMPUTE runs; null again once memory of it has been freed. */
    private final @Nullable Kept[] last;

    ClientGraphs(List<ServedDevice> devices, ClientBuffers buffers, Dialect dialect, MemoryShare share) {
        this.devices = devices;
        this.buffers = buffers;
        this.dialect = dialect;
        this.share = share;
        this.last = new Kept[devices.size()];
        devices.forEach(_ -> kept.add(new ArrayDeque<>()));
    }

    /**
     * Counts the memory for a message, before it is read.
     *
     * @return the bytes that have been taken, for {@link #compute}
     * @throws MalformedDataException if no graph has as many bytes
     * @throws AllocationException if the client may not have as much memory
     */
    long reserve(long messageBytes) {
        if (messageBytes < 0 || messageBytes > MOST_MESSAGE_BYTES) {
            throw new MalformedDataException(
                    "a graph of " + Long.toUnsignedString(messageBytes) + " bytes, of at most " + MOST_MESSAGE_BYTES);
        }
        long bytes = messageBytes * (1 + OBJECTS_PER_BYTE);
        while (true) {
            try {
                share.takeHeap("a graph", bytes);
                return bytes;
            } catch (AllocationException tooMuch) {
                if (!dropOldest()) {
                    throw tooMuch;
                }
            }
        }
    }

    /** Gives back what {@link #reserve} has taken, for a message that did not come. */
    void release(long reserved) {
        share.giveBackHeap(reserved);
    }

    /** Runs the graph of a message, for which {@link #reserve} has taken memory. */
    void compute(byte[] bytes, long reserved) {
        boolean used = false;
        try {
            GraphMessage message = new GraphMessage(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
            int device = checked(message.device());
            Kept known = find(device, bytes);
            if (known == null) {
                known = prepare(device, message, bytes, reserved);
                used = true;
            }
            last[device] = known;
            devices.get(device).compute(known.prepared);
        } finally {
            if (!used) {
                release(reserved);
            }
        }
    }

    /** Runs the last graph of a device again. */
    void recompute(int device) {
        Kept graph = last[checked(device)];
        if (graph == null) {
            throw new MalformedDataException("GRAPH_RECOMPUTE on device " + device
                    + ", which was sent no graph, or one whose memory has been freed since");
        }
        devices.get(device).compute(graph.prepared);
    }

    private int checked(int device) {
        return ServedDevice.checked(device, devices);
    }

    /** The graph of that message, as the one that ran last; null if it is not kept. */
    private @Nullable Kept find(int device, byte[] message) {
        Deque<Kept> graphs = kept.get(device);
        for (Iterator<Kept> each = graphs.iterator(); each.hasNext(); ) {
            Kept graph = each.next();
            if (graph.is(message)) {
                each.remove();
                graphs.addFirst(graph);
                return graph;
            }
        }
        return null;
    }

    private Kept prepare(int device, GraphMessage message, byte[] bytes, long reserved) {
        Deque<Kept> graphs = kept.get(device);
        while (graphs.size() >= MOST_KEPT) {
            close(graphs.removeLast());
        }
        PreparedGraph prepared = devices.get(device).prepare(GraphReader.read(message, buffers, dialect));
        long scratch = prepared.scratchBytes();
        boolean counted = false;
        try {
            share.take("the scratch memory of a graph", scratch);
            counted = true;
        } finally {
            if (!counted) {
                prepared.close();
            }
        }
        Kept graph = new Kept(bytes, prepared, reserved, scratch);
        graphs.addFirst(graph);
        return graph;
    }

    /** Closes the graph that has not run for longest on one of the devices, but never the last of a device. */
    private boolean dropOldest() {
        for (Deque<Kept> graphs : kept) {
            if (graphs.size() > 1) {
                close(graphs.removeLast());
                return true;
            }
        }
        return false;
    }

    /** Closes the graphs that use a buffer, which is about to be freed. */
    void forget(ClientBuffers.Held held) {
        for (int device = 0; device < last.length; device++) {
            Deque<Kept> graphs = kept.get(device);
            for (Kept graph : List.copyOf(graphs)) {
                if (graph.uses(held)) {
                    graphs.remove(graph);
                    last[device] = graph.equals(last[device]) ? null : last[device];
                    close(graph);
                }
            }
        }
    }

    private void close(Kept graph) {
        graph.prepared.close();
        share.giveBackHeap(graph.heap);
        share.giveBack(graph.scratch);
    }

    @Override
    public void close() {
        for (Deque<Kept> graphs : kept) {
            graphs.forEach(this::close);
            graphs.clear();
        }
    }
}
