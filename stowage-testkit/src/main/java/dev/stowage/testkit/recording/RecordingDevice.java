package dev.stowage.testkit.recording;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.Event;
import dev.stowage.device.OpSupport;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.CallLog;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A device without memory that computes nothing and records every call made to it, so that the order of calls can
 * be compared with what it should be. Several devices share one {@link CallLog}, and may share a buffer type. Events
 * are named after their device and the order in which they were made: {@code GPU0#0}, {@code GPU0#1}.
 *
 * <p>May be used from any thread.
 */
public final class RecordingDevice implements Device {

    private final String name;
    private final DeviceType type;
    private final RecordingBufferType bufferType;
    private final CallLog log;
    private final Optional<Set<Op>> supportedOps;
    private final Set<Op> offloadedOps;
    private final Set<String> readable;
    private final boolean asyncCopies;
    private final boolean events;
    private final AtomicInteger eventsMade = new AtomicInteger();

    RecordingDevice(RecordingDeviceBuilder made) {
        this.name = made.name;
        this.type = made.type;
        this.bufferType = made.bufferType;
        this.log = made.bufferType.log();
        this.supportedOps = made.supportedOps;
        this.offloadedOps = made.offloadedOps;
        this.readable = made.readable;
        this.asyncCopies = made.asyncCopies;
        this.events = made.events;
    }

    /** Starts a device of that name that works in such memory and writes into the log of that memory. */
    public static RecordingDeviceBuilder named(String name, RecordingBufferType bufferType) {
        return new RecordingDeviceBuilder(name, bufferType);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String description() {
        return "recording " + type + " without memory";
    }

    @Override
    public DeviceType type() {
        return type;
    }

    /** Unlimited, as no memory is allocated. */
    @Override
    public DeviceMemory memory() {
        return new DeviceMemory(Long.MAX_VALUE, Long.MAX_VALUE);
    }

    /** Never async, as no work is ever in flight, even though it accepts copies as an async device does. */
    @Override
    public Set<Capability> capabilities() {
        return events ? Set.of(Capability.EVENTS) : Set.of();
    }

    @Override
    public boolean copiesAsyncFrom(Device producer) {
        return asyncCopies && producer instanceof RecordingDevice other && other.asyncCopies;
    }

    @Override
    public BufferType bufferType() {
        return bufferType;
    }

    /** Leaves are always supported, views only where their op is among those chosen. */
    @Override
    public OpSupport supports(Tensor node) {
        boolean supported = node.op() == Op.NONE
                || supportedOps.map(ops -> ops.contains(node.op())).orElse(true);
        return supported ? OpSupport.yes() : OpSupport.no("device '" + name + "' was made without " + node.op());
    }

    @Override
    public boolean supportsBufferType(BufferType other) {
        return readable.contains(other.name());
    }

    @Override
    public boolean offloadsOp(Tensor node) {
        return offloadedOps.contains(node.op());
    }

    @Override
    public Backend open(BackendOptions options) {
        return new RecordingBackend(this);
    }

    @Override
    public Event createEvent() {
        return events
                ? new RecordingEvent(this, name + "#" + eventsMade.getAndIncrement())
                : Device.super.createEvent();
    }

    boolean hasEvents() {
        return events;
    }

    CallLog log() {
        return log;
    }

    @Override
    public String toString() {
        return name;
    }
}
