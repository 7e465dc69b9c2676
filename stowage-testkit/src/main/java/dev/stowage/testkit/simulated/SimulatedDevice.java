package dev.stowage.testkit.simulated;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.Event;
import dev.stowage.device.OpSupport;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.backend.LossInjection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * An accelerator that is not there, for tests and for trying out plans: it has memory of its own that the host cannot
 * reach, its backends work in threads of their own, and its kernels are the reference's, so that its results are
 * exactly those. What it can do and what its work costs is chosen when it is {@linkplain #named made}; what goes wrong
 * on it, at any time through {@link #faults()}.
 *
 * {@snippet :
 * SimulatedDevice gpu = SimulatedDevice.named("gpu0").memoryLimit(1L << 20).build();
 * gpu.faults().fail(CallKind.COMPUTE, 2, FaultKind.FAILURE);
 * }
 *
 * <p>It counts what has been taken and not given back, so that a test can end with nothing left open. May be used from
 * any thread.
 */
public final class SimulatedDevice implements Device, LossInjection {

    private final String name;
    private final DeviceType type;
    private final SimulatedMemory ownMemory;
    private final BufferType bufferType;
    private final Optional<PinnedMemory> hostMemory;
    private final Set<Capability> capabilities;
    private final SupportQueries supportQueries;
    private final Predicate<BufferType> readable;
    private final Predicate<Tensor> offloads;
    private final boolean directCopies;
    private final CallCosts calls;
    private final DelayPolicy delays;
    private final SimulatedClock clock;
    private final DeviceLogs logs;
    private final Device kernels;
    private final Faults faults = new Faults();
    private final StreamRegistry streams;
    private final Supplier<SimulatedDevice> another;
    private final AtomicInteger openEvents = new AtomicInteger();
    private final AtomicInteger preparations = new AtomicInteger();
    private final AtomicInteger events = new AtomicInteger();

    SimulatedDevice(SimulatedDeviceBuilder made) {
        this.name = made.name;
        this.type = made.type;
        this.ownMemory = new SimulatedMemory(this, made);
        this.bufferType = made.sharedMemory.orElse(ownMemory);
        this.capabilities = Set.copyOf(made.capabilities);
        this.hostMemory = capabilities.contains(Capability.HOST_BUFFER)
                ? Optional.of(new PinnedMemory(made.bufferTypeName + "_Host"))
                : Optional.empty();
        this.supportQueries = new SupportQueries(made.supports, made.kernels);
        this.readable = made.readable;
        this.offloads = made.offloads;
        this.directCopies = made.directCopies;
        this.calls = new CallCosts(made.name, made.costs);
        this.delays = made.delays;
        this.clock = made.clock;
        this.logs = new DeviceLogs(made.log, made.accesses, made.uploads, hostMemory);
        this.kernels = made.kernels;
        this.streams = new StreamRegistry(made.name);
        this.another = made::build;
    }

    /** Starts a device of that name; without more it is a GPU that can do everything, runs ahead and has events. */
    public static SimulatedDeviceBuilder named(String name) {
        return new SimulatedDeviceBuilder(name);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String description() {
        return "simulated " + type + " with " + ownMemory.limit() + " bytes of " + bufferType.name();
    }

    @Override
    public DeviceType type() {
        return type;
    }

    @Override
    public DeviceMemory memory() {
        return new DeviceMemory(ownMemory.limit() - ownMemory.openBytes(), ownMemory.limit());
    }

    @Override
    public Set<Capability> capabilities() {
        return capabilities;
    }

    @Override
    public BufferType bufferType() {
        return bufferType;
    }

    @Override
    public Optional<BufferType> hostBufferType() {
        return hostMemory.map(BufferType.class::cast);
    }

    /** Leaves and views are always supported; all else if this device was made so and the kernels can do it. */
    @Override
    public OpSupport supports(Tensor node) {
        return supportQueries.ask(node);
    }

    @Override
    public boolean[] supports(Graph graph) {
        return supportQueries.ask(graph);
    }

    /** What it has been asked about the ops it supports. */
    public SupportQueries supportQueries() {
        return supportQueries;
    }

    /** What its own memory has been asked. */
    public MemoryQueries memoryQueries() {
        return ownMemory.queries();
    }

    @Override
    public boolean supportsBufferType(BufferType other) {
        return other.equals(bufferType) || other.equals(ownMemory) || readable.test(other);
    }

    @Override
    public boolean offloadsOp(Tensor node) {
        return offloads.test(node);
    }

    /** Where both run ahead, have memory of their own, and bytes get from one to the other without the host. */
    @Override
    public boolean copiesAsyncFrom(Device producer) {
        return producer instanceof SimulatedDevice other
                && isAsync()
                && other.isAsync()
                && bufferType instanceof SimulatedMemory
                && other.bufferType instanceof SimulatedMemory
                && copiesDirectlyFrom(other);
    }

    @Override
    public Backend open(BackendOptions options) {
        streams.require("open");
        return new SimulatedBackend(this, kernels.open(), options);
    }

    @Override
    public Event createEvent() {
        if (!capabilities.contains(Capability.EVENTS)) {
            return Device.super.createEvent();
        }
        atOnce(calls.event());
        openEvents.incrementAndGet();
        return new SimulatedEvent(this, name() + "#" + events.getAndIncrement());
    }

    @Override
    public LossInjection.Subject another() {
        SimulatedDevice made = another.get();
        return new LossInjection.Subject(made, made::lose);
    }

    /** What is to go wrong on this device. */
    public Faults faults() {
        return faults;
    }

    /**
     * Loses this device for good, as a broken connection does: what its backends have to do is dropped, and all calls
     * of its backends, buffers and events are refused from now on. Losing it again changes nothing.
     */
    public void lose(Throwable cause) {
        streams.lose(cause);
    }

    @Override
    public Optional<Throwable> lossCause() {
        return streams.lossCause();
    }

    /** Whether it is there, and its streams. */
    StreamRegistry streams() {
        return streams;
    }

    /** The clock that the costs of this device are added up on. */
    public SimulatedClock clock() {
        return clock;
    }

    /** How many buffers have been given and are not closed. */
    public int openBuffers() {
        return ownMemory.openBuffers();
    }

    /** How many buffers of its host memory have been given and are not closed. */
    public int openHostBuffers() {
        return hostMemory.map(PinnedMemory::openBuffers).orElse(0);
    }

    /** The bytes of the buffers that have been given and are not closed. */
    public long openBytes() {
        return ownMemory.openBytes();
    }

    /** How many backends have been opened and are not closed. */
    public int openBackends() {
        return streams.openStreams();
    }

    /** How many events have been made and are not closed. */
    public int openEvents() {
        return openEvents.get();
    }

    /** How many graphs its backends have been asked to prepare. */
    public int preparations() {
        return preparations.get();
    }

    void countPreparation() {
        preparations.incrementAndGet();
    }

    boolean isAsync() {
        return capabilities.contains(Capability.ASYNC);
    }

    boolean hasEvents() {
        return capabilities.contains(Capability.EVENTS);
    }

    /** Whether bytes get here from that device without the host in between. */
    boolean copiesDirectlyFrom(SimulatedDevice other) {
        return directCopies && other.directCopies;
    }

    /** What calls of this device are, with what they cost. */
    CallCosts calls() {
        return calls;
    }

    /** Begins a call: it fails if its time has come, and takes the time it takes. */
    void begin(Work work) throws InterruptedException {
        streams.require(work.kind().label());
        faults.meet(work);
        delays.delay(work);
        streams.require(work.kind().label());
    }

    /** Begins a call that the calling thread carries out itself. */
    void atOnce(Work work) {
        try {
            begin(work);
            clock().delay(work.nanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw work.interrupted(e);
        }
    }

    /** The logs of calls, accesses and uploads, if there are any. */
    DeviceLogs logs() {
        return logs;
    }

    void eventClosed() {
        openEvents.decrementAndGet();
    }

    @Override
    public String toString() {
        return name();
    }
}
