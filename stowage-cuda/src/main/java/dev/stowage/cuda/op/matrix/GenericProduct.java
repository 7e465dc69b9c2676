package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.memory.BoundTensor;

/** A product by {@code mul_mat.cu}, which takes every type and all strides: one warp per row and up to eight columns. */
final class GenericProduct {

    private static final int WARPS = 4;
    private static final int COLUMNS = 8;

    private GenericProduct() {}

    static void launch(Product product, BoundTensor columns, LaunchSink out) {
        boolean isOneColumn = product.columns() == 1;
        long units = product.rows() * product.matrices() * (isOneColumn ? 1 : Math.ceilDiv(product.columns(), COLUMNS));
        String name = (isOneColumn ? "mul_mat_" : "mul_mat_columns_")
                + RowTypes.suffix(product.a().type());
        Launch launch = Launch.of(name)
                .grid(Math.ceilDiv(units, WARPS))
                .block(32 * WARPS)
                .dependent()
                .argument(product.a().view());
        if (DotRounding.of(product.a().type()).isBlocks()) {
            launch.pointer(TokenRows.floats(out, columns, product.a().type()));
        } else {
            launch.argument(product.b().view()).i32(product.b().type().code());
        }
        out.add(launch.argument(product.result().view()));
    }
}
