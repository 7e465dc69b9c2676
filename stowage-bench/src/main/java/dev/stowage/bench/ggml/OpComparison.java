package dev.stowage.bench.ggml;

import dev.stowage.bench.ggml.OpVerdict.Outcome;
import dev.stowage.device.Device;
import dev.stowage.device.OpSupport;
import dev.stowage.error.StowageException;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.op.ElementCodec;
import dev.stowage.testkit.op.Nmse;
import dev.stowage.testkit.op.OpCase;
import dev.stowage.testkit.op.OpGraph;
import dev.stowage.testkit.op.OpRun;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Computes a case with a device of ours and with ggml's CPU backend from the same bytes, and compares. */
final class OpComparison {

    /** Every byte of this value makes a NaN of each floating point type: what ggml leaves unwritten shows. */
    private static final byte UNWRITTEN = -1;

    private final GgmlLibrary library;
    private final GgmlLimits limits;
    private final Device device;

    OpComparison(GgmlLibrary library, Device device) {
        this.library = library;
        this.limits = library.limits();
        this.device = device;
    }

    OpVerdict compare(OpCase opCase) {
        OpGraph made = opCase.build();
        if (!opCase.isInGgml() || !isKnown(made.graph()) || !limits.allow(made.graph())) {
            return OpVerdict.of(Outcome.ABSENT);
        }
        try (GgmlMirror mirror = GgmlMirror.of(library, made.graph(), id -> false);
                GgmlCompute ggml = GgmlCompute.of(mirror)) {
            for (int node = 0; node < made.graph().nodeCount(); node++) {
                if (!ggml.supports(node)) {
                    return OpVerdict.of(Outcome.UNSUPPORTED);
                }
            }
            OpSupport support = OpRun.support(device, opCase);
            if (!support.isSupported()) {
                return OpVerdict.failed("not supported by " + device.name() + ": " + support.reason());
            }
            Nmse nmse = opCase.compare(OpRun.on(device, opCase), byGgml(made, ggml));
            return verdict(nmse, opCase.maxError(), isF32(made.graph()));
        } catch (StowageException e) {
            return OpVerdict.failed(String.valueOf(e.getMessage()));
        }
    }

    private boolean isKnown(Graph graph) {
        for (Tensor node : graph.nodes()) {
            if (!library.ops().has(node.op()) || node.parameters() instanceof OpParameters.Custom) {
                return false;
            }
        }
        return true;
    }

    private static double[] byGgml(OpGraph made, GgmlCompute ggml) {
        Graph graph = made.graph();
        ggml.fill(UNWRITTEN);
        for (int input = 0; input < made.inputs().size(); input++) {
            Tensor tensor = made.inputs().get(input);
            if (graph.contains(tensor)) {
                ggml.bytes(graph.idOf(tensor)).copyFrom(MemorySegment.ofArray(made.bytesOf(input)));
            }
        }
        ggml.run();
        byte[] bytes = ggml.bytes(graph.idOf(made.result())).toArray(ValueLayout.JAVA_BYTE);
        return ElementCodec.decode(made.result().layout(), bytes);
    }

    private static boolean isF32(Graph graph) {
        return OpRun.tensors(graph).stream()
                .allMatch(tensor ->
                        tensor.type() == ElementType.F32 || tensor.type().isInteger());
    }

    private static OpVerdict verdict(Nmse nmse, double maxError, boolean isF32) {
        return nmse.isWithin(maxError)
                ? new OpVerdict(Outcome.PASSED, nmse.error(), isF32, "")
                : new OpVerdict(Outcome.FAILED, nmse.error(), isF32, nmse + ", allowed is " + maxError);
    }
}
