package dev.stowage.cuda.op.unit;

import dev.stowage.cuda.memory.unit.UnitLayout;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;

/**
 * Launches of {@code unit_gemv_mixed_sm90.cu} and of the mixed kernels of {@code unit_gemv_rope_sm90.cu}: the multiprocessors
 * are shared between matrices of the product's type and its matrix of another type, as their bytes are.
 */
record UnitGemvOfTwo(UnitGemv first, UnitGemv last, int warps) {

    static UnitGemvOfTwo of(UnitProduct product, UnitProduct last, int warps, Gpu gpu) {
        int all = gpu.multiprocessors();
        long ofLast = Math.clamp(Math.round((double) all * bytes(last) / (bytes(product) + bytes(last))), 1, all - 1);
        return new UnitGemvOfTwo(
                UnitGemv.of(product, gpu, all - ofLast, warps), UnitGemv.of(last, gpu, ofLast, warps), warps);
    }

    static void launch(UnitProduct product, UnitProduct last, LaunchSink out) {
        boolean hasTail = product.tail().isPresent();
        String kernel = "unit_gemv_ring_" + product.format().suffix() + "_"
                + last.format().suffix() + (hasTail ? "_rope" : "_whole");
        of(product, last, hasTail ? UnitGemv.READY_WARPS : UnitGemv.TOKEN_WARPS, out.gpu())
                .add(kernel, product, out);
    }

    private void add(String kernel, UnitProduct product, LaunchSink out) {
        int rows = rowCapacity();
        int shared = Math.max(first.sharedBytesWith(rows), last.sharedBytesWith(rows));
        Launch launch = Launch.of(kernel)
                .grid(first.blocks() + last.blocks())
                .block(warps * 32)
                .shared(shared)
                .dependent();
        new UnitGemv(1, first.blocks(), first.granule(), first.granules(), first.stages(), rows, shared)
                .addArguments(launch, product);
        launch.i32(first.blocks())
                .i32(last.granules() / last.blocks())
                .i32(last.granules() % last.blocks())
                .i32(last.stages());
        product.tail().ifPresent(tail -> tail.addTo(launch));
        out.add(launch);
    }

    /** The rows of a block. */
    int rowCapacity() {
        return Math.max(first.rowCapacity(), last.rowCapacity());
    }

    /** The bytes of a product's matrices. */
    private static long bytes(UnitProduct product) {
        return product.matrices().stream()
                .mapToLong(matrix -> new UnitLayout(product.format(), product.k(), matrix.rows(), 1).matrixBytes())
                .sum();
    }
}
