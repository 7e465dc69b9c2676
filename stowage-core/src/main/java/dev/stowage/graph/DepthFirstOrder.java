package dev.stowage.graph;

import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Lists the tensors that roots depend on in the order of {@code ggml_build_forward_expand}: depth first, sources from
 * left to right, every tensor once. A tensor with an op becomes a node, others become leaves. The traversal uses an
 * explicit stack, so that long chains of nodes do not overflow the thread's.
 */
final class DepthFirstOrder {

    private final List<Tensor> nodes = new ArrayList<>();
    private final List<Tensor> leaves = new ArrayList<>();
    private final TensorTable seen = new TensorTable(1024);

    private Tensor[] path = new Tensor[64];
    private int[] nextSource = new int[64];

    DepthFirstOrder(Iterable<Tensor> roots) {
        for (Tensor root : roots) {
            visit(root);
        }
    }

    List<Tensor> nodes() {
        return nodes;
    }

    List<Tensor> leaves() {
        return leaves;
    }

    private void visit(Tensor root) {
        int depth = enter(root, 0);
        while (depth > 0) {
            Tensor tensor = path[depth - 1];
            int slot = nextSource[depth - 1]++;
            if (slot < tensor.sourceCount()) {
                if (tensor.hasSource(slot)) {
                    depth = enter(tensor.source(slot), depth);
                }
            } else {
                (tensor.isLeaf() ? leaves : nodes).add(tensor);
                depth--;
            }
        }
    }

    private int enter(Tensor tensor, int depth) {
        if (seen.put(tensor, 0) != TensorTable.ABSENT) {
            return depth;
        }
        if (depth == path.length) {
            path = Arrays.copyOf(path, depth * 2);
            nextSource = Arrays.copyOf(nextSource, depth * 2);
        }
        path[depth] = tensor;
        nextSource[depth] = 0;
        return depth + 1;
    }
}
