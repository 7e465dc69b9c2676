package dev.stowage.testkit.op;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.device.OpSupport;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Runs a case on a device: takes memory there, fills the inputs, computes, and reads the result. */
public final class OpRun {

    private OpRun() {}

    /** Whether a device can run all nodes of a case, and if not, why. */
    public static OpSupport support(Device device, OpCase opCase) {
        for (Tensor node : opCase.build().graph().nodes()) {
            OpSupport support = node.op() == Op.NONE ? OpSupport.yes() : device.supports(node);
            if (!support.isSupported()) {
                return support;
            }
        }
        return OpSupport.yes();
    }

    /** Opens a backend on that device, runs the case there, and returns the elements of the result. */
    public static double[] on(Device device, OpCase opCase) {
        try (Backend backend = device.open()) {
            return on(backend, opCase);
        }
    }

    /** Runs the case in the memory of the backend's device, and returns the elements of the result. */
    public static double[] on(Backend backend, OpCase opCase) {
        OpGraph made = opCase.build();
        try (Buffer _ =
                Allocations.allocateAll(tensors(made.graph()), backend.device().bufferType())) {
            fill(made);
            backend.compute(made.graph());
            return read(made.result());
        }
    }

    /** Every tensor of a graph, those that views are made of before the views. */
    public static List<Tensor> tensors(Graph graph) {
        List<Tensor> tensors = new ArrayList<>(graph.leaves());
        tensors.addAll(graph.nodes());
        return tensors;
    }

    /** Writes the inputs of a case, which have their places, as they are before the run. */
    public static void fill(OpGraph made) {
        for (int input = 0; input < made.inputs().size(); input++) {
            Tensor tensor = made.inputs().get(input);
            if (tensor.isPlaced()) {
                Buffer.of(tensor).set(tensor, 0, MemorySegment.ofArray(made.bytesOf(input)));
            }
        }
    }

    /** As {@link #read(BoundTensor)}, for a tensor with memory of its own. */
    public static double[] read(Tensor tensor) {
        return read(BoundTensor.of(tensor));
    }

    /** The elements of a tensor of any type and layout, wherever it is stored, the first dimension running fastest. */
    public static double[] read(BoundTensor tensor) {
        byte[] bytes = new byte[Math.toIntExact(tensor.byteSize())];
        tensor.get(0, MemorySegment.ofArray(bytes));
        return ElementCodec.decode(tensor.layout(), bytes);
    }
}
