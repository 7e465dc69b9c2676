package dev.stowage.rpc.client;

import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.BufferUsage;
import dev.stowage.rpc.wire.Command;
import dev.stowage.rpc.wire.WireTensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * The weights that a server may have kept from earlier. llama.cpp's, started with a folder for them, keeps what it is sent
 * in one message of more than 10 MiB, and finds it by its hash. Thread-safe: several threads hash at once.
 */
final class KeptWeights {

    /** Servers keep more than this. */
    static final long THRESHOLD = 10L << 20;

    /** How much of the end is compared. */
    private static final int TAIL_BYTES = 4096;

    private final Connection connection;
    private final CacheUse use;
    private volatile boolean lacksSome;

    KeptWeights(Connection connection, CacheUse use) {
        this.connection = connection;
        this.use = use;
    }

    /** Whether a server should keep the bytes, where the protocol can say so. */
    boolean shouldKeep(BoundTensor tensor) {
        return use != CacheUse.NEVER && isWeight(tensor);
    }

    private static boolean isWeight(BoundTensor tensor) {
        return tensor.tensor().isWeight() || tensor.buffer().usage() == BufferUsage.WEIGHTS;
    }

    /**
     * Has the server write bytes that it has kept into a range of a tensor.
     *
     * @return false if it has none, or was not asked; the bytes have to be sent then
     */
    boolean write(BoundTensor tensor, long offset, MemorySegment bytes) {
        if (bytes.byteSize() <= THRESHOLD || use == CacheUse.NEVER || !isWeight(tensor)) {
            return false;
        }
        if (use == CacheUse.AUTO && lacksSome) {
            return false;
        }
        if (ask(tensor, offset, Fnv.hash(bytes)) && isComplete(tensor, offset, bytes)) {
            return true;
        }
        lacksSome = true;
        return false;
    }

    /** Asks for bytes by their hash, whatever they are. */
    boolean ask(BoundTensor tensor, long offset, long hash) {
        return connection.askWhether(Command.SET_TENSOR_HASH, WireTensor.BYTES + 2 * Long.BYTES, out -> {
            TensorWriter.add(out, tensor);
            out.putLong(offset).putLong(hash);
        });
    }

    /** A server that was ended while it wrote a file has one with the right name that is too short, and does not notice. */
    private boolean isComplete(BoundTensor tensor, long offset, MemorySegment bytes) {
        long at = Math.max(0, bytes.byteSize() - TAIL_BYTES);
        byte[] end = bytes.asSlice(at).toArray(ValueLayout.JAVA_BYTE);
        byte[] found = new byte[end.length];
        RpcBuffer.fetch(connection, tensor, offset + at, MemorySegment.ofArray(found));
        connection.settle();
        return Arrays.equals(found, end);
    }
}
