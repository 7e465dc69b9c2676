package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.tensor.ElementType;

/** A product of plain floats with few columns, by {@code mul_mat_vec.cu}: the time is that of reading the first factor. */
final class VectorProduct {

    private static final int MAX_COLUMNS = 8;
    private static final int THREADS = 128;
    private static final int WARP = 32;
    private static final int VECTOR_BYTES = 16;
    private static final int MIN_SHARE = 8;
    /** Threads that a multiprocessor should have to hide the latency of memory. */
    private static final int BUSY = 1024;

    private VectorProduct() {}

    static boolean fits(Product product) {
        ElementType type = product.a().type();
        return !type.isQuantized()
                && product.b().type() == ElementType.F32
                && product.columns() <= MAX_COLUMNS
                && product.a().hasVectorRows()
                && product.b().hasVectorRows()
                && product.depth() % (VECTOR_BYTES / type.bytesPerBlock()) == 0;
    }

    static void launch(Product product, LaunchSink out) {
        int columns = Integer.highestOneBit(Math.toIntExact(product.columns()) * 2 - 1);
        int threads = threads(product, out.gpu().multiprocessors());
        long rowBlocks = Math.ceilDiv(product.rows(), THREADS / threads);
        out.add(Launch.of("mul_mat_vec_" + columns + "_"
                        + RowTypes.suffix(product.a().type()))
                .grid(rowBlocks * product.matrices())
                .block(THREADS)
                .dependent()
                .argument(product.a().view())
                .argument(product.b().view())
                .argument(product.result().view())
                .i32(threads));
    }

    /** How many threads share a row: no more than it has pieces, and all of a block where there are few long rows. */
    private static int threads(Product product, int multiprocessors) {
        long pieces = product.depth() * product.a().type().bytesPerBlock() / VECTOR_BYTES;
        boolean isBusy = product.rows() * product.matrices() * WARP >= (long) multiprocessors * BUSY;
        if (pieces >= 2L * THREADS && !isBusy) {
            return THREADS;
        }
        int threads = WARP;
        while (threads > MIN_SHARE && threads / 2 >= pieces) {
            threads /= 2;
        }
        return threads;
    }
}
