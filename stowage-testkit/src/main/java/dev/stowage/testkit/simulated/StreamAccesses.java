package dev.stowage.testkit.simulated;

import dev.stowage.device.Step;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.RowRange;
import dev.stowage.plan.BoundGraph;
import dev.stowage.testkit.race.AccessLog;
import dev.stowage.testkit.race.Actor;
import dev.stowage.testkit.race.LogEntry;
import dev.stowage.testkit.race.MemoryAccess;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records the memory accesses and the waits of a stream, or nothing where there is no log. */
final class StreamAccesses {

    private static final String HOST = "host memory";

    private final @Nullable AccessLog log;
    private final Actor stream;

    private StreamAccesses(@Nullable AccessLog log, Actor stream) {
        this.log = log;
        this.stream = stream;
    }

    /** For a new backend of a device. */
    static StreamAccesses of(SimulatedDevice device) {
        @Nullable AccessLog log = device.logs().accesses().orElse(null);
        return new StreamAccesses(log, log == null ? new Actor(1, device.name()) : log.stream(device.name()));
    }

    private void work(String what, MemoryAccess... accesses) {
        if (log != null) {
            log.add(new LogEntry.Work(stream, what, List.of(accesses)));
        }
    }

    /** A node of a graph of that node alone. */
    void compute(BoundGraph node) {
        if (log == null) {
            return;
        }
        Step step = Step.of(node, 0);
        List<MemoryAccess> accesses = new ArrayList<>();
        for (int slot = 0; slot < step.operandCount(); slot++) {
            if (step.hasOperand(slot)) {
                BoundTensor operand = step.operand(slot);
                accesses.add(MemoryAccess.read(
                        operand.segment(), operand.tensor().name(), memory(operand), operand.offset()));
            }
        }
        BoundTensor result = step.result();
        accesses.add(MemoryAccess.write(result.segment(), result.tensor().name(), memory(result), result.offset()));
        log.add(new LogEntry.Work(stream, "compute " + result.describe(), accesses));
    }

    /** Bytes of a tensor from {@code offset} on that come from the host in the order of the stream. */
    void set(BoundTensor tensor, long offset, MemorySegment source, MemorySegment target) {
        work(
                "set",
                MemoryAccess.read(source, tensor.tensor().name(), HOST, 0),
                MemoryAccess.write(target, tensor.tensor().name(), memory(tensor), tensor.offset() + offset));
    }

    /** Bytes of a tensor from {@code offset} on that go to the host in the order of the stream. */
    void get(BoundTensor tensor, long offset, MemorySegment source, MemorySegment target) {
        work(
                "get",
                MemoryAccess.read(source, tensor.tensor().name(), memory(tensor), tensor.offset() + offset),
                MemoryAccess.write(target, tensor.tensor().name(), HOST, 0));
    }

    /** Bytes of a tensor from {@code offset} on that are set to a value in the order of the stream. */
    void fill(BoundTensor tensor, long offset, MemorySegment target) {
        work("fill", MemoryAccess.write(target, tensor.tensor().name(), memory(tensor), tensor.offset() + offset));
    }

    /** Rows that come from the host in the order of the stream; {@code bytes} are all of the tensor. */
    void setRows(BoundTensor tensor, RowRange target, MemorySegment source, RowRange from, MemorySegment bytes) {
        for (long row = 0; log != null && row < target.rows(); row++) {
            MemorySegment near = source.asSlice(from.start(row), from.rowBytes());
            set(tensor, target.start(row), near, bytes.asSlice(target.start(row), target.rowBytes()));
        }
    }

    /** Rows that go to the host in the order of the stream; {@code bytes} are all of the tensor. */
    void getRows(BoundTensor tensor, RowRange source, MemorySegment target, RowRange to, MemorySegment bytes) {
        for (long row = 0; log != null && row < source.rows(); row++) {
            MemorySegment near = target.asSlice(to.start(row), to.rowBytes());
            get(tensor, source.start(row), bytes.asSlice(source.start(row), source.rowBytes()), near);
        }
    }

    /** A copy in the order of two streams: this one waits for the producer's work, and the producer for the copy. */
    void copyInOrder(StreamAccesses producer, MemoryAccess read, MemoryAccess write) {
        if (log == null) {
            return;
        }
        Object computed = new Object();
        Object copied = new Object();
        producer.signal(computed);
        await(computed);
        work("copy", read, write);
        signal(copied);
        producer.await(copied);
    }

    void signal(Object event) {
        if (log != null) {
            log.add(new LogEntry.Signal(stream, event));
        }
    }

    void await(Object event) {
        if (log != null) {
            log.add(new LogEntry.Wait(stream, event));
        }
    }

    void finish() {
        if (log != null) {
            log.add(new LogEntry.Synchronize(stream));
        }
    }

    /** The host wrote bytes at once; what is stored in simulated memory has said so itself. */
    void hostWrote(BoundTensor tensor, long offset, MemorySegment source) {
        if (log != null && !(tensor.buffer() instanceof SimulatedBuffer)) {
            MemorySegment target = tensor.segment().asSlice(offset, source.byteSize());
            log.addHostWork(
                    "set",
                    MemoryAccess.read(source, tensor.tensor().name(), HOST, 0),
                    MemoryAccess.write(target, tensor.tensor().name(), memory(tensor), tensor.offset() + offset));
        }
    }

    /** The host read bytes at once; what is stored in simulated memory has said so itself. */
    void hostRead(BoundTensor tensor, long offset, MemorySegment target) {
        if (log != null && !(tensor.buffer() instanceof SimulatedBuffer)) {
            MemorySegment source = tensor.segment().asSlice(offset, target.byteSize());
            log.addHostWork(
                    "get",
                    MemoryAccess.read(source, tensor.tensor().name(), memory(tensor), tensor.offset() + offset),
                    MemoryAccess.write(target, tensor.tensor().name(), HOST, 0));
        }
    }

    private static String memory(BoundTensor tensor) {
        return tensor.buffer().name();
    }
}
