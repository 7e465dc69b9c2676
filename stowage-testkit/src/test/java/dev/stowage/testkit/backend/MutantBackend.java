package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.Event;
import dev.stowage.device.GraphCopy;
import dev.stowage.device.OpSupport;
import dev.stowage.device.PreparedGraph;
import dev.stowage.error.DeviceException;
import dev.stowage.error.StowageException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A stream of work that is done when it is waited for, with the defect of its device. */
final class MutantBackend extends Backend {

    private final MutantDevice device;
    private final Backend reference;
    private final Deque<Runnable> work = new ArrayDeque<>();
    private final Thread opener = Thread.currentThread();
    private long handedIn;
    private long done;
    private @Nullable StowageException stuck;
    private @Nullable Graph lastGraph;

    MutantBackend(MutantDevice device) {
        super(device);
        this.device = device;
        this.reference = device.reference().open();
    }

    private void handIn(Runnable task) {
        if (device.has(Defect.BACKENDS_BELONG_TO_A_THREAD)
                && !Thread.currentThread().equals(opener)) {
            throw DeviceException.of(name(), "call", "this backend belongs to thread '" + opener.getName() + "'");
        }
        work.add(task);
        handedIn++;
    }

    /** Does everything before a mark; after a failure, the rest is dropped. */
    void work(long mark) {
        while (done < mark && !work.isEmpty()) {
            done++;
            try {
                work.remove().run();
            } catch (StowageException failure) {
                failed(failure);
            }
        }
    }

    private void failed(StowageException failure) {
        if (device.has(Defect.FAILURES_DO_NOT_STOP_WHAT_IS_BEHIND)) {
            work(handedIn);
        }
        work.clear();
        done = handedIn;
        if (device.has(Defect.FAILURES_ARE_SWALLOWED)) {
            return;
        }
        stuck = device.has(Defect.FAILURES_ARE_TOLD_AGAIN_AND_AGAIN) ? failure : null;
        throw failure;
    }

    @Override
    protected void write(Tensor tensor, long offset, MemorySegment source) {
        Runnable task = () -> Buffer.of(tensor).set(tensor, offset, source);
        if (device.has(Defect.SET_IS_TOO_EARLY)) {
            task.run();
        } else {
            handIn(task);
        }
    }

    @Override
    protected void read(Tensor tensor, long offset, MemorySegment target) {
        Runnable task = () -> Buffer.of(tensor).get(tensor, offset, target);
        if (device.has(Defect.GET_IS_TOO_EARLY)) {
            task.run();
        } else {
            handIn(task);
        }
    }

    @Override
    protected boolean copyFrom(Backend producer, Tensor from, Tensor to) {
        if (!(producer instanceof MutantBackend other)) {
            return false;
        }
        long mark = other.handedIn;
        handIn(() -> {
            if (other != this && !device.has(Defect.COPY_DOES_NOT_WAIT_FOR_ITS_SOURCE)) {
                other.work(mark);
            }
            Buffer.copy(from, to);
        });
        return true;
    }

    @Override
    protected void run(Graph graph) {
        if (device.has(Defect.SECOND_RUN_IS_SKIPPED) && graph == lastGraph) {
            return;
        }
        lastGraph = graph;
        int skipped = device.has(Defect.LAST_NODE_OF_LONG_GRAPHS_IS_SKIPPED) && graph.nodeCount() > 8 ? 1 : 0;
        if (device.has(Defect.OPERANDS_ARE_READ_WHEN_HANDED_IN) && graph.nodeCount() > 0) {
            List<GraphCopy> early = new ArrayList<>();
            early.add(GraphCopy.of(graph, HostBufferType.standard()));
            handIn(() -> computeAll(graph, early.getFirst()));
            return;
        }
        handIn(() -> {
            for (int node = 0; node < graph.nodeCount() - skipped; node++) {
                compute(graph, node);
            }
        });
    }

    private void computeAll(Graph graph, GraphCopy copy) {
        reference.compute(copy.graph());
        for (Tensor node : graph.nodes()) {
            if (!node.op().isViewOp() && !node.shape().isEmpty()) {
                Buffer.copy(copy.copyOf(node), node);
            }
        }
        copy.close();
    }

    private void compute(Graph graph, int number) {
        Tensor node = graph.node(number);
        if (node.isLeaf() || node.op().isViewOp()) {
            return;
        }
        if (!isRunnable(node)) {
            return;
        }
        try (GraphCopy copy = GraphCopy.of(graph.slice(number, number + 1), HostBufferType.standard())) {
            device.compute(new HostNode(node, copy, reference));
            Tensor root = node.isView() ? node.viewSource() : node;
            Buffer.copy(copy.copyOf(root), root);
        }
        spoil(node);
    }

    private boolean isRunnable(Tensor node) {
        if (node.shape().isEmpty()) {
            if (device.has(Defect.FAILS_ON_EMPTY_TENSORS)) {
                throw DeviceException.of(name(), "compute", node.describe(), "it has no elements");
            }
            return false;
        }
        OpSupport support = device.supports(node);
        if (!support.isSupported() && !device.has(Defect.UNSUPPORTED_OPS_ARE_SKIPPED)) {
            throw device.has(Defect.FAILURES_DO_NOT_NAME_THE_OP)
                    ? DeviceException.of(name(), "run", "something went wrong")
                    : DeviceException.of(name(), "compute", node.describe(), support.reason());
        }
        boolean isClosed = Buffer.of(node).isClosed();
        return support.isSupported() && !(isClosed && device.has(Defect.CLOSED_BUFFERS_ARE_STILL_USED));
    }

    private void spoil(Tensor node) {
        MutantBuffer buffer = (MutantBuffer) Buffer.of(node);
        if (device.has(Defect.WRITES_BEHIND_THE_RESULT)) {
            buffer.spoil(node.storageOffset() + node.byteSize());
        } else if (device.has(Defect.WRITES_BEFORE_THE_RESULT)) {
            buffer.spoil(node.storageOffset() - 1);
        } else if (device.has(Defect.CHANGES_AN_OPERAND) && node.hasSource(1)) {
            buffer.spoil(node.source(1).storageOffset());
        }
    }

    @Override
    public Graph reorder(Graph graph) {
        return device.has(Defect.REORDER_LOSES_A_NODE) ? graph.slice(0, graph.nodeCount() - 1) : graph;
    }

    @Override
    protected void finish() {
        StowageException again = stuck;
        if (again != null) {
            throw again;
        }
        if (!device.has(Defect.SYNCHRONIZE_RETURNS_TOO_EARLY)) {
            work(handedIn);
        }
    }

    @Override
    protected PreparedGraph makeReady(Graph graph) {
        return new MutantPreparedGraph(this, device, graph);
    }

    @Override
    protected void mark(Event event) {
        ((MutantEvent) event).moveTo(this, handedIn);
    }

    @Override
    protected void waitFor(Event event) {
        if (!device.has(Defect.AWAIT_DOES_NOT_WAIT)) {
            handIn(((MutantEvent) event).now());
        }
    }

    @Override
    protected void release() {
        if (!device.has(Defect.CLOSE_DOES_NOT_WAIT)) {
            work(handedIn);
        }
        reference.close();
    }

    /** Runs a graph although this backend may be closed. */
    void runRegardless(Graph graph) {
        run(graph);
    }
}
