package dev.stowage.testkit.backend;

import dev.stowage.device.Backend;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.device.compare.GraphCopy;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A run of a graph on a device with a defect: parts of it, one after the other, are brought to copies in host memory,
 * computed there and brought back. The copies are made when the run is submitted, as its buffers may be closed later; their
 * bytes are those that the run finds when its time comes.
 */
final class MutantRun implements AutoCloseable {

    /** A part of the graph and its copy. */
    private record Part(BoundGraph bound, GraphCopy copy) {}

    private final MutantDevice device;
    private final Backend reference;
    private final boolean early;
    private final List<Part> parts = new ArrayList<>();

    private MutantRun(MutantDevice device, Backend reference, boolean early) {
        this.device = device;
        this.reference = reference;
        this.early = early;
    }

    /** Node by node, up to that one. */
    static MutantRun of(MutantDevice device, Backend reference, BoundGraph bound, int endNode) {
        MutantRun run = new MutantRun(device, reference, false);
        for (int node = 0; node < endNode; node++) {
            Tensor result = bound.graph().node(node);
            if (!result.isLeaf() && !result.op().isViewOp()) {
                run.add(bound.part(bound.graph().slice(node, node + 1)));
            }
        }
        return run;
    }

    /** All nodes at once, from the bytes that are there when it is submitted. */
    static MutantRun early(MutantDevice device, Backend reference, BoundGraph bound) {
        MutantRun run = new MutantRun(device, reference, true);
        if (bound.graph().nodeCount() > 0) {
            run.add(bound);
        }
        return run;
    }

    private void add(BoundGraph part) {
        parts.add(new Part(part, GraphCopy.of(part, HostBufferType.standard())));
    }

    void compute() {
        for (Part part : parts) {
            if (early) {
                reference.compute(part.copy().graph());
                part.bound().graph().nodes().forEach(node -> bringBack(part, node));
            } else {
                computeNode(part);
            }
        }
    }

    private void computeNode(Part part) {
        Tensor node = part.bound().graph().node(0);
        if (!isRunnable(node) || !mayUseAll(part.bound())) {
            return;
        }
        bringBytes(part);
        device.compute(new HostNode(part.bound(), part.copy(), reference));
        bringBack(part, node.isView() ? node.viewSource() : node);
        spoil(Step.of(part.bound(), 0));
    }

    private boolean isRunnable(Tensor node) {
        if (node.shape().isEmpty()) {
            if (device.has(Defect.FAILS_ON_EMPTY_TENSORS)) {
                throw DeviceException.of(device.name(), "compute", node.describe(), "it has no elements");
            }
            return false;
        }
        OpSupport support = device.supports(node);
        if (!support.isSupported() && !device.has(Defect.UNSUPPORTED_OPS_ARE_SKIPPED)) {
            throw device.has(Defect.FAILURES_DO_NOT_NAME_THE_OP)
                    ? DeviceException.of(device.name(), "run", "something went wrong")
                    : DeviceException.of(device.name(), "compute", node.describe(), support.reason());
        }
        return support.isSupported();
    }

    private boolean mayUseAll(BoundGraph bound) {
        Graph graph = bound.graph();
        for (int id = 0; id < graph.size(); id++) {
            MutantBuffer buffer = (MutantBuffer) bound.buffer(id);
            boolean isNull = buffer.baseAddress() + bound.offset(id) == 0;
            if (!device.mayUse(buffer) || (isNull && device.has(Defect.ADDRESS_ZERO_COUNTS_AS_NO_MEMORY))) {
                return false;
            }
        }
        return true;
    }

    private static void bringBytes(Part part) {
        Graph graph = part.bound().graph();
        for (int id = 0; id < graph.size(); id++) {
            Tensor tensor = graph.tensor(id);
            if (!tensor.isView()) {
                TensorData.segment(part.copy().copyOf(tensor)).copyFrom(bytes(part.bound(), tensor));
            }
        }
    }

    private static void bringBack(Part part, Tensor tensor) {
        if (!tensor.op().isViewOp()) {
            bytes(part.bound(), tensor).copyFrom(TensorData.segment(part.copy().copyOf(tensor)));
        }
    }

    private static MemorySegment bytes(BoundGraph bound, Tensor tensor) {
        int id = bound.graph().idOf(tensor);
        return ((MutantBuffer) bound.buffer(id)).bytes(bound.offset(id), tensor.byteSize());
    }

    private void spoil(Step step) {
        MutantBuffer buffer = (MutantBuffer) step.result().buffer();
        if (device.has(Defect.WRITES_AFTER_THE_RESULT)) {
            buffer.spoil(step.result().offset() + step.result().byteSize());
        } else if (device.has(Defect.WRITES_BEFORE_THE_RESULT)) {
            buffer.spoil(step.result().offset() - 1);
        } else if (device.has(Defect.CHANGES_AN_OPERAND) && step.hasOperand(1)) {
            buffer.spoil(step.operand(1).offset());
        }
    }

    @Override
    public void close() {
        parts.forEach(part -> part.copy().close());
    }
}
