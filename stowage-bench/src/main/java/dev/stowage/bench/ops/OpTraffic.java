package dev.stowage.bench.ops;

import dev.stowage.tensor.Tensor;

/** The bytes that an op cannot avoid to read and write: every operand and the result once, of tables only the rows used. */
final class OpTraffic {

    private OpTraffic() {}

    static long bytes(Tensor node) {
        return switch (node.op()) {
            case GET_ROWS -> rows(node.source(0), node) + elements(node.source(1)) + elements(node);
            case SET_ROWS -> rows(node, node.source(0)) + elements(node.source(0)) + elements(node.source(1));
            // A second operand is the target, which is the result.
            case CPY -> elements(node.source(0)) + elements(node);
            default -> operands(node) + elements(node);
        };
    }

    /** As many rows of a table as another tensor has. */
    private static long rows(Tensor table, Tensor other) {
        return table.type().rowBytes(table.dim(0)) * (other.shape().elements() / other.dim(0));
    }

    private static long operands(Tensor node) {
        long bytes = 0;
        for (int i = 0; i < node.sourceCount(); i++) {
            bytes += node.hasSource(i) ? elements(node.source(i)) : 0;
        }
        return bytes;
    }

    /** The bytes of all elements, without gaps between rows. */
    private static long elements(Tensor tensor) {
        return rows(tensor, tensor);
    }
}
