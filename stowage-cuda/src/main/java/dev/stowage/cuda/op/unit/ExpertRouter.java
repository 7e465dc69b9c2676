package dev.stowage.cuda.op.unit;

import dev.stowage.cuda.memory.DeviceAddress;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;

/**
 * Which experts tokens use, in one launch of {@code route_experts_sm90.cu}: the RMS norm of a vector, the scores of all
 * experts, their soft-max, the best ones and their shares, made to sum up to 1.
 *
 * @param x the vectors
 * @param norm the weight of the norm
 * @param epsilon the epsilon of the norm
 * @param normed where the normed vectors go
 * @param router a row of floats for each expert
 * @param used how many experts a token uses
 * @param leastSum what the sum of shares is taken for where it is smaller
 * @param ids where the numbers of the used experts go: one row for each token, of which the first ones are written
 * @param shares where their shares go, without gaps
 */
public record ExpertRouter(
        BoundTensor x,
        BoundTensor norm,
        float epsilon,
        BoundTensor normed,
        BoundTensor router,
        int used,
        float leastSum,
        BoundTensor ids,
        BoundTensor shares) {

    private static final int BLOCKS = 8;
    private static final int THREADS = 256;
    private static final int MAX_EXPERTS = 256;
    private static final int MAX_USED = 32;
    private static final int PIECE = 16;
    private static final int STATIC_BYTES = 4096;

    /** Whether the kernel takes these types, shapes and addresses. */
    public boolean suits(Gpu gpu) {
        return gpu.isHopper()
                && router.type() == ElementType.F32
                && router.shape().elements() == router.dim(0) * router.dim(1)
                && router.dim(1) <= MAX_EXPERTS
                && used <= Math.min(MAX_USED, router.dim(1))
                && x.dim(0) == router.dim(0)
                && router.dim(0) * Float.BYTES + STATIC_BYTES <= gpu.sharedBytesPerBlock()
                && router.dim(0) * Float.BYTES % PIECE == 0
                && hasAlignedRows(x)
                && hasAlignedRows(normed)
                && hasAlignedRows(router)
                && DeviceAddress.of(norm) % PIECE == 0;
    }

    private static boolean hasAlignedRows(BoundTensor rows) {
        return rows.type() == ElementType.F32
                && Columns.areUniform(rows.layout())
                && DeviceAddress.of(rows) % PIECE == 0
                && Columns.of(rows.layout()).stride() * Float.BYTES % PIECE == 0;
    }

    public void launch(LaunchSink out) {
        int k = Math.toIntExact(router.dim(0));
        out.add(Launch.of("route_experts")
                .grid(BLOCKS, Columns.of(x.layout()).count(), 1)
                .block(THREADS)
                .cluster(BLOCKS)
                .shared(k * Float.BYTES)
                .dependent()
                .pointer(x)
                .i64(Columns.of(x.layout()).stride())
                .pointer(norm)
                .f32(epsilon)
                .i32(k)
                .pointer(normed)
                .i64(Columns.of(normed.layout()).stride())
                .pointer(router)
                .i64(Columns.of(router.layout()).stride())
                .i32(router.dim(1))
                .i32(used)
                .f32(leastSum)
                .pointer(ids)
                .i64(ids.stride(1) / Integer.BYTES)
                .pointer(shares)
                .i64(used));
    }
}
