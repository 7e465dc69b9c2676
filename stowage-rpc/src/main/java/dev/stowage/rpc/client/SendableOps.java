package dev.stowage.rpc.client;

import dev.stowage.device.OpSupport;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.WireTensor;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;

/** Which nodes a message can describe: sizes and strides have 32 bits, and a version has only so many ops. */
final class SendableOps {

    private static final long MOST_UNSIGNED = 0xffff_ffffL;

    private SendableOps() {}

    static OpSupport supports(Tensor node, Dialect dialect) {
        if (!dialect.knows(node.op())) {
            return OpSupport.no("version " + dialect + " of the protocol has no " + node.op());
        }
        if (node.sourceCount() > WireTensor.SOURCES) {
            return OpSupport.no("a message has room for " + WireTensor.SOURCES + " operands");
        }
        if (!fits(node.layout())) {
            return OpSupport.no("a size or stride of 4 GiB or more cannot be sent");
        }
        for (int slot = 0; slot < node.sourceCount(); slot++) {
            if (node.hasSource(slot) && !fits(node.source(slot).layout())) {
                return OpSupport.no("operand " + slot + " has a size or stride of 4 GiB or more, which cannot be sent");
            }
        }
        return switch (node.op()) {
            case MAP_CUSTOM1, MAP_CUSTOM2, MAP_CUSTOM3, CUSTOM ->
                OpSupport.no("a function of the caller's cannot be sent");
            default -> OpSupport.yes();
        };
    }

    private static boolean fits(Layout layout) {
        for (int i = 0; i < Shape.RANK; i++) {
            if (layout.shape().dim(i) > MOST_UNSIGNED || layout.strides().stride(i) > MOST_UNSIGNED) {
                return false;
            }
        }
        return true;
    }
}
