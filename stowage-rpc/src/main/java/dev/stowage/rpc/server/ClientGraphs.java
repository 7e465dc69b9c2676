package dev.stowage.rpc.server;

import dev.stowage.error.AllocationException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.plan.BoundGraph;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.GraphMessage;
import dev.stowage.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
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

    private final List<ServedDevice> devices;
    private final ClientBuffers buffers;
    private final Dialect dialect;
    private final MemoryShare share;

    /** By device, the one that ran last first. */
    private final List<Deque<KeptGraph>> kept = new ArrayList<>();

    /** By device what GRAPH_RECOMPUTE runs; null again once memory of it has been freed. */
    private final @Nullable KeptGraph[] last;

    private final PackedWeights weights;

    ClientGraphs(List<ServedDevice> devices, ClientBuffers buffers, Dialect dialect, MemoryShare share) {
        this.devices = devices;
        this.buffers = buffers;
        this.dialect = dialect;
        this.share = share;
        this.last = new KeptGraph[devices.size()];
        this.weights = new PackedWeights(share);
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
                if (!dropOldest() && !giveUpCopies()) {
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
            int device = checked(read(bytes).device());
            KeptGraph graph = take(device, bytes);
            if (graph == null) {
                graph = new KeptGraph(devices.get(device), bytes, share, reserved);
                used = true;
            }
            run(device, graph);
        } finally {
            if (!used) {
                release(reserved);
            }
        }
    }

    /** Runs the last graph of a device again. */
    void recompute(int device) {
        KeptGraph graph = last[checked(device)];
        if (graph == null) {
            throw new MalformedDataException("GRAPH_RECOMPUTE on device " + device
                    + ", which was sent no graph, or one whose memory has been freed since");
        }
        if (graph.isPrepared()) {
            graph.run();
        } else {
            kept.get(device).remove(graph);
            run(device, graph);
        }
    }

    private int checked(int device) {
        return ServedDevice.checked(device, devices);
    }

    private static GraphMessage read(byte[] message) {
        return new GraphMessage(ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN));
    }

    /** The graph of that message, which is not among the kept ones until it has been prepared; null if there is none. */
    private @Nullable KeptGraph take(int device, byte[] message) {
        for (Iterator<KeptGraph> each = kept.get(device).iterator(); each.hasNext(); ) {
            KeptGraph graph = each.next();
            if (graph.is(message)) {
                each.remove();
                return graph;
            }
        }
        return null;
    }

    /** Runs a graph as the last one of a device; it is prepared unless it was. */
    private void run(int device, KeptGraph graph) {
        try {
            if (!graph.isPrepared()) {
                prepare(device, graph);
            }
        } finally {
            if (graph.isPrepared()) {
                kept.get(device).addFirst(graph);
                last[device] = graph;
            } else {
                graph.close();
            }
        }
        graph.run();
    }

    /** Prepares a graph; others, and copies of weights, go where there is too little memory for all of them. */
    private void prepare(int device, KeptGraph graph) {
        Deque<KeptGraph> graphs = kept.get(device);
        while (graphs.size() >= MOST_KEPT) {
            graphs.removeLast().close();
        }
        while (!graph.isPrepared()) {
            try {
                ServedDevice served = devices.get(device);
                CopiesOfOne copies = new CopiesOfOne(served);
                BoundGraph bound = GraphReader.read(read(graph.message()), buffers, dialect, copies);
                graph.prepared(served.prepare(bound, share.left()), copies.used);
            } catch (AllocationException tooMuch) {
                if (!dropOldest() && !giveUpCopies() && !dropLast(device)) {
                    throw tooMuch;
                }
            }
        }
    }

    /** The copies of weights that one graph reads. */
    private final class CopiesOfOne implements GraphReader.Weights {

        private final ServedDevice device;
        private final List<PackedWeights.Copy> used = new ArrayList<>();

        CopiesOfOne(ServedDevice device) {
            this.device = device;
        }

        @Override
        public void computesInto(ClientBuffers.Held held) {
            beforeWrite(held, 0, held.buffer().size());
            weights.computesInto(held);
        }

        @Override
        public @Nullable Tensor copyOf(ClientBuffers.Held held, Tensor original) {
            PackedWeights.Copy copy = held.device().equals(device) ? weights.of(held, original) : null;
            if (copy == null) {
                return null;
            }
            used.add(copy);
            return copy.packed();
        }

        @Override
        public boolean supports(Tensor node) {
            return device.device().supports(node).isSupported();
        }
    }

    /** Bytes of a buffer are about to be written: copies of them are dropped, and graphs that use those prepared again. */
    void beforeWrite(ClientBuffers.Held held, long offset, long length) {
        if (weights.has(held, offset, length)) {
            for (Deque<KeptGraph> graphs : kept) {
                for (KeptGraph graph : graphs) {
                    if (graph.uses(held)) {
                        graph.unprepare();
                    }
                }
            }
            weights.drop(held, offset, length);
        }
    }

    /** The bytes of copies of weights, which the client gets when it asks for memory. */
    long copiedBytes() {
        return weights.bytes();
    }

    /** Drops all copies of weights for good; whether there were any. */
    boolean giveUpCopies() {
        if (weights.bytes() == 0) {
            return false;
        }
        for (Deque<KeptGraph> graphs : kept) {
            graphs.stream().filter(KeptGraph::hasCopies).forEach(KeptGraph::unprepare);
        }
        weights.giveUp();
        return true;
    }

    /** Closes the graph that has not run for longest on one of the devices, but never the last of a device. */
    private boolean dropOldest() {
        for (Deque<KeptGraph> graphs : kept) {
            if (graphs.size() > 1) {
                graphs.removeLast().close();
                return true;
            }
        }
        return false;
    }

    /** Closes the last graph of a device, in whose place another one comes. */
    private boolean dropLast(int device) {
        KeptGraph graph = kept.get(device).pollFirst();
        if (graph == null) {
            return false;
        }
        last[device] = null;
        graph.close();
        return true;
    }

    /** Closes the graphs that use a buffer, which is about to be freed. */
    void forget(ClientBuffers.Held held) {
        for (int device = 0; device < last.length; device++) {
            Deque<KeptGraph> graphs = kept.get(device);
            for (KeptGraph graph : List.copyOf(graphs)) {
                if (graph.uses(held)) {
                    graphs.remove(graph);
                    last[device] = graph.equals(last[device]) ? null : last[device];
                    graph.close();
                }
            }
        }
        weights.forget(held);
    }

    @Override
    public void close() {
        for (Deque<KeptGraph> graphs : kept) {
            graphs.forEach(KeptGraph::close);
            graphs.clear();
        }
        weights.close();
    }
}
