package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;

/** A product of f32 by f32 with many columns, by {@code sgemm.cu}, in true f32. */
final class FloatProduct {

    private static final int TILE_ROWS = 128;
    private static final int TILE_COLUMNS = 64;
    private static final int THREADS = 256;
    private static final int MIN_ROWS = 32;
    private static final int MIN_COLUMNS = 16;
    private static final int MAX_GRID = 65535;

    private FloatProduct() {}

    static boolean fits(Product product) {
        return product.isF32()
                && product.rows() >= MIN_ROWS
                && product.columns() >= MIN_COLUMNS
                && product.a().layout().hasContiguousRows()
                && product.b().layout().hasContiguousRows()
                && product.matrices() <= MAX_GRID
                && Math.ceilDiv(product.columns(), TILE_COLUMNS) <= MAX_GRID;
    }

    static void launch(Product product, LaunchSink out) {
        boolean isVector = product.a().hasVectorRows() && product.b().hasVectorRows();
        out.add(Launch.of("sgemm")
                .grid(
                        Math.ceilDiv(product.rows(), TILE_ROWS),
                        Math.ceilDiv(product.columns(), TILE_COLUMNS),
                        product.matrices())
                .block(THREADS)
                .dependent()
                .argument(product.a().view())
                .argument(product.b().view())
                .argument(product.result().view())
                .i32(isVector ? 1 : 0));
    }
}
