package dev.stowage.testkit.simulated;

import dev.stowage.device.Step;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.race.AccessLog;
import dev.stowage.testkit.race.Actor;
import dev.stowage.testkit.race.Happening;
import dev.stowage.testkit.race.Touch;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes down what a stream touches and whom it waits for, and nothing where nobody asked for it. */
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
        @Nullable AccessLog log = device.accesses().orElse(null);
        return new StreamAccesses(log, log == null ? new Actor(1, device.name()) : log.stream(device.name()));
    }

    private void work(String what, Touch... touches) {
        if (log != null) {
            log.add(new Happening.Work(stream, what, List.of(touches)));
        }
    }

    /** A node of a graph of that node alone. */
    void compute(Graph node) {
        if (log == null) {
            return;
        }
        Step step = Step.of(node, 0);
        List<Touch> touches = new ArrayList<>();
        for (int slot = 0; slot < step.operandCount(); slot++) {
            if (step.hasOperand(slot)) {
                Tensor operand = step.operand(slot);
                touches.add(Touch.read(segment(operand), operand.name(), memory(operand), operand.storageOffset()));
            }
        }
        Tensor result = step.result();
        touches.add(Touch.write(segment(result), result.name(), memory(result), result.storageOffset()));
        log.add(new Happening.Work(stream, "compute " + result.describe(), touches));
    }

    /** Bytes of a tensor from {@code offset} on that come from the host in the turn of the stream. */
    void set(Tensor tensor, long offset, MemorySegment source, MemorySegment target) {
        work(
                "set",
                Touch.read(source, tensor.name(), HOST, 0),
                Touch.write(target, tensor.name(), memory(tensor), tensor.storageOffset() + offset));
    }

    /** Bytes of a tensor from {@code offset} on that go to the host in the turn of the stream. */
    void get(Tensor tensor, long offset, MemorySegment source, MemorySegment target) {
        work(
                "get",
                Touch.read(source, tensor.name(), memory(tensor), tensor.storageOffset() + offset),
                Touch.write(target, tensor.name(), HOST, 0));
    }

    /** A copy in the turn of two streams: this one waits for the producer's work, and the producer for the copy. */
    void copyInTurn(StreamAccesses producer, Touch read, Touch write) {
        if (log == null) {
            return;
        }
        Object computed = new Object();
        Object copied = new Object();
        producer.mark(computed);
        await(computed);
        work("copy", read, write);
        mark(copied);
        producer.await(copied);
    }

    void mark(Object mark) {
        if (log != null) {
            log.add(new Happening.Mark(stream, mark));
        }
    }

    void await(Object mark) {
        if (log != null) {
            log.add(new Happening.Await(stream, mark));
        }
    }

    void finish() {
        if (log != null) {
            log.add(new Happening.Finish(stream));
        }
    }

    /** The host wrote bytes at once; what lies in simulated memory has said so itself. */
    void hostWrote(Tensor tensor, long offset, MemorySegment source) {
        if (log != null && !(Buffer.of(tensor) instanceof SimulatedBuffer)) {
            MemorySegment target = segment(tensor).asSlice(offset, source.byteSize());
            log.addHostWork(
                    "set",
                    Touch.read(source, tensor.name(), HOST, 0),
                    Touch.write(target, tensor.name(), memory(tensor), tensor.storageOffset() + offset));
        }
    }

    /** The host read bytes at once; what lies in simulated memory has said so itself. */
    void hostRead(Tensor tensor, long offset, MemorySegment target) {
        if (log != null && !(Buffer.of(tensor) instanceof SimulatedBuffer)) {
            MemorySegment source = segment(tensor).asSlice(offset, target.byteSize());
            log.addHostWork(
                    "get",
                    Touch.read(source, tensor.name(), memory(tensor), tensor.storageOffset() + offset),
                    Touch.write(target, tensor.name(), HOST, 0));
        }
    }

    private static MemorySegment segment(Tensor tensor) {
        return Buffer.of(tensor).segment().asSlice(tensor.storageOffset(), tensor.byteSize());
    }

    private static String memory(Tensor tensor) {
        return Buffer.of(tensor).name();
    }
}
