package dev.stowage.cuda.memory;

import dev.stowage.cuda.driver.CudaException;
import dev.stowage.memory.BoundTensor;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The transfers of the buffers of one GPU, which are done on return. Each goes through a {@link TransferLane} of its own,
 * so that threads do not wait for each other; long ones go through several at once, because one thread copies to pinned
 * memory more slowly than the GPU fetches it. Thread-safe.
 */
public final class TransferLanes implements AutoCloseable {

    /** The most transfers at a time. */
    private static final int LANES = 8;

    /** The least bytes of each part of a transfer that is divided, and the most parts. */
    private static final long PART_BYTES = 4 * TransferLane.CHUNK_BYTES;

    private static final int PARTS = 4;

    /** Something that is done with a lane. */
    @FunctionalInterface
    public interface Transfer {

        /** Transfers, and is done on return. */
        void run(TransferLane lane);
    }

    private final DeviceContext context;
    private final Semaphore permits = new Semaphore(LANES);
    private final ConcurrentLinkedQueue<TransferLane> idle = new ConcurrentLinkedQueue<>();

    TransferLanes(DeviceContext context) {
        this.context = context;
    }

    /** Writes all of a segment to device memory. */
    public void write(BoundTensor tensor, long target, MemorySegment source) {
        int parts = parts(source);
        if (parts == 1) {
            run("set", tensor, lane -> lane.write(target, source));
        } else {
            long part = Math.ceilDiv(source.byteSize(), parts);
            IntStream.range(0, parts).parallel().forEach(i -> {
                MemorySegment piece = piece(source, i, part);
                run("set", tensor, lane -> lane.write(target + i * part, piece));
            });
        }
    }

    /** Reads device memory into all of a segment. */
    public void read(BoundTensor tensor, long source, MemorySegment target) {
        int parts = parts(target);
        if (parts == 1) {
            run("get", tensor, lane -> lane.read(source, target));
        } else {
            long part = Math.ceilDiv(target.byteSize(), parts);
            IntStream.range(0, parts).parallel().forEach(i -> {
                MemorySegment piece = piece(target, i, part);
                run("get", tensor, lane -> lane.read(source + i * part, piece));
            });
        }
    }

    private static int parts(MemorySegment host) {
        boolean divided = !PinnedBuffer.isPinned(host) && HostSegments.isShared(host);
        return divided ? Math.clamp(host.byteSize() / PART_BYTES, 1, PARTS) : 1;
    }

    private static MemorySegment piece(MemorySegment all, int number, long bytes) {
        return all.asSlice(number * bytes, Math.min(bytes, all.byteSize() - number * bytes));
    }

    /** Has a transfer made through a lane, and turns a failure of the driver into one of the device. */
    public void run(String call, @Nullable BoundTensor tensor, Transfer transfer) {
        context.require(call);
        permits.acquireUninterruptibly();
        try {
            TransferLane lane = idle.poll();
            if (lane == null) {
                lane = TransferLane.open(context);
            }
            boolean usable = false;
            try {
                transfer.run(lane);
                usable = true;
            } catch (CudaException e) {
                throw context.failure(call, tensor == null ? null : tensor.describe(), e);
            } finally {
                giveBack(lane, usable);
            }
        } finally {
            permits.release();
        }
    }

    /** A lane whose transfer failed may still be busy with it: its resources are released, and it is not used again. */
    private void giveBack(TransferLane lane, boolean usable) {
        if (usable) {
            idle.add(lane);
        } else {
            lane.close();
        }
    }

    /** Releases the lanes, none of which is in use. */
    @Override
    public void close() {
        for (TransferLane lane = idle.poll(); lane != null; lane = idle.poll()) {
            lane.close();
        }
    }
}
