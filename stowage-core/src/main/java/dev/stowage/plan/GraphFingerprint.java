package dev.stowage.plan;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.util.HexFormat;

/**
 * A hash of all that a plan depends on: wiring, marks, ops, layouts, and which tensors have memory of their own; names
 * do not count. It is the same in every process, so it can be saved with a plan.
 */
final class GraphFingerprint {

    private long state = 0x243F6A8885A308D3L;

    private GraphFingerprint() {}

    static String of(PlanRequest request) {
        GraphFingerprint print = new GraphFingerprint();
        Graph graph = request.graph();
        print.add(graph.nodeCount());
        print.add(graph.leafCount());
        for (int id = 0; id < graph.size(); id++) {
            Tensor tensor = graph.tensor(id);
            print.add(tensor.op().name().hashCode());
            print.add(graph.viewSource(id));
            print.add(tensor.viewOffset());
            print.add((graph.isInput(id) ? 1 : 0)
                    | (graph.isOutput(id) ? 2 : 0)
                    | (graph.isWeight(id) ? 4 : 0)
                    | (request.isFixed(id) ? 8 : 0));
            print.add(tensor.layout());
            for (int slot = graph.firstSlot(id); slot < graph.endSlot(id); slot++) {
                print.add(graph.sourceAt(slot));
            }
        }
        return HexFormat.of().toHexDigits(print.state);
    }

    private void add(Layout layout) {
        add(layout.type().code());
        for (int i = 0; i < 4; i++) {
            add(layout.shape().dim(i));
            add(layout.strides().stride(i));
        }
    }

    private void add(long value) {
        long mixed = (state ^ value) * 0x9E3779B97F4A7C15L;
        state = mixed ^ (mixed >>> 29);
    }
}
