package dev.stowage.llm;

import dev.stowage.device.Backend;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.gguf.GgufFile;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Uploads weights out of the mapped file to a device that needs no host memory of its own for it, such as one of another
 * machine: the bytes are not copied on their way. Every weight is one transfer, which lets a device recognise one that it
 * has kept. Several threads each submit one weight at a time to a stream of their own, so that the file is read for one
 * while another is sent. Used by one thread.
 */
final class DirectUpload {

    private final Device device;
    private final GgufFile file;
    private final LongConsumer arrived;
    private final List<Weight> weights = new ArrayList<>();

    /** A weight and its bytes in the file. */
    private record Weight(BoundTensor target, MemorySegment bytes) {}

    /**
     * An upload to that device.
     *
     * @param arrived is given the bytes of each weight that has arrived, in this thread
     */
    DirectUpload(Device device, GgufFile file, LongConsumer arrived) {
        this.device = device;
        this.file = file;
        this.arrived = arrived;
    }

    /** Whether memory of that type is one that weights are sent to, and not from staging buffers. */
    static boolean serves(Device device, BufferType type) {
        return !type.isHost()
                && device.capabilities().contains(Capability.ASYNC)
                && device.hostBufferType().isEmpty();
    }

    /**
     * Adds the weight of that name; {@link #run()} loads it.
     *
     * @throws InvalidTensorException if the file has another type or shape for it
     */
    void add(Tensor tensor, String name) {
        GgufTensor found = file.contents().tensor(name);
        if (!found.layout().equals(tensor.layout())) {
            throw new InvalidTensorException(tensor.describe() + " is " + found.layout() + " in the file");
        }
        if (tensor.byteSize() > 0) {
            MemorySegment bytes = file.bufferOf(name).segment().asSlice(found.offset(), found.byteSize());
            weights.add(new Weight(BoundTensor.of(tensor), bytes));
        }
    }

    /** Loads everything, and returns when it has arrived, or when nothing is under way any more after a failure. */
    void run() {
        new LoadThreads<>(weights, Stream::new).run(arrived);
    }

    /** One thread's stream. */
    private final class Stream implements PieceLoader<Weight> {

        private final Backend backend = device.open();
        private final LongConsumer reports;

        Stream(LongConsumer reports) {
            this.reports = reports;
        }

        @Override
        public void load(Weight weight) {
            // Whoever sends holds up the others, and should not wait for the file then.
            if (weight.bytes.isMapped()) {
                weight.bytes.load();
            }
            backend.setAsync(weight.target, 0, weight.bytes);
            backend.synchronize();
            reports.accept(weight.bytes.byteSize());
        }

        /** Nothing: every weight is waited for. */
        @Override
        public void finish() {}

        @Override
        public void close() {
            backend.close();
        }
    }
}
