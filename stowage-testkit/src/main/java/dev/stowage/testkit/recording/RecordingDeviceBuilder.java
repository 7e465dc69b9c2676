package dev.stowage.testkit.recording;

import dev.stowage.device.DeviceType;
import dev.stowage.tensor.Op;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Chooses what a {@link RecordingDevice} claims to be able to do. What is not chosen: a GPU that supports every op,
 * reaches its own memory only, offloads nothing, and has neither async copies nor events. Not synchronised.
 */
public final class RecordingDeviceBuilder {

    final String name;
    final RecordingBufferType bufferType;
    DeviceType type = DeviceType.GPU;
    Optional<Set<Op>> supportedOps = Optional.empty();
    Set<Op> offloadedOps = Set.of();
    Set<String> readable;
    boolean asyncCopies;
    boolean events;

    RecordingDeviceBuilder(String name, RecordingBufferType bufferType) {
        this.name = Objects.requireNonNull(name);
        this.bufferType = bufferType;
        this.readable = Set.of(bufferType.name());
    }

    public RecordingDeviceBuilder type(DeviceType newType) {
        type = newType;
        return this;
    }

    /** Has it support only these ops, views included, and leaves. */
    public RecordingDeviceBuilder supporting(Set<Op> ops) {
        supportedOps = Optional.of(Set.copyOf(ops));
        return this;
    }

    /** The names of all memory it reads and writes; its own is not among them unless named. */
    public RecordingDeviceBuilder reading(Set<String> bufferTypeNames) {
        readable = Set.copyOf(bufferTypeNames);
        return this;
    }

    /** Has it ask for weights to be brought over from the host for these ops. */
    public RecordingDeviceBuilder offloading(Set<Op> ops) {
        offloadedOps = Set.copyOf(ops);
        return this;
    }

    /** Whether copies from and to other devices that have them too are made asynchronously. */
    public RecordingDeviceBuilder asyncCopies(boolean hasAsyncCopies) {
        asyncCopies = hasAsyncCopies;
        return this;
    }

    /** Whether events can be made. */
    public RecordingDeviceBuilder events(boolean hasEvents) {
        events = hasEvents;
        return this;
    }

    /** The device. */
    public RecordingDevice build() {
        return new RecordingDevice(this);
    }
}
