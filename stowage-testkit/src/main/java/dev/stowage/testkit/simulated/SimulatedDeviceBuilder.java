package dev.stowage.testkit.simulated;

import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceType;
import dev.stowage.device.OpSupport;
import dev.stowage.error.AllocationException;
import dev.stowage.memory.BufferType;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.race.AccessLog;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Chooses what a {@link SimulatedDevice} is and can do. What is not chosen: a GPU with 4 GiB of memory of its own,
 * which only it reads, aligned to 64 bytes; every op of the reference; async, events and direct copies; no costs and no
 * log. Not synchronised.
 */
public final class SimulatedDeviceBuilder {

    private static final long DEFAULT_MEMORY = 4L << 30;
    private static final long DEFAULT_ALIGNMENT = 64;

    final String name;
    final Set<Capability> capabilities = EnumSet.of(Capability.ASYNC, Capability.EVENTS);
    DeviceType type = DeviceType.GPU;
    String bufferTypeName;
    long alignment = DEFAULT_ALIGNMENT;
    long maxBufferSize = Long.MAX_VALUE;
    long memoryLimit = DEFAULT_MEMORY;
    boolean hostMemory;
    boolean addresses = true;
    Optional<BufferType> sharedMemory = Optional.empty();
    Function<Tensor, OpSupport> supports = _ -> OpSupport.yes();
    Predicate<BufferType> readable = _ -> false;
    Predicate<Tensor> offloads = _ -> false;
    boolean directCopies = true;
    Costs costs = Costs.free();
    DelayPolicy delays = DelayPolicy.none();
    SimulatedClock clock = new SimulatedClock();
    Optional<CallLog> log = Optional.empty();
    Optional<UploadLog> uploads = Optional.empty();
    Optional<AccessLog> accesses = Optional.empty();
    Device kernels = new ReferenceProvider().devices().getFirst();

    SimulatedDeviceBuilder(String name) {
        this.name = Objects.requireNonNull(name);
        this.bufferTypeName = name;
    }

    public SimulatedDeviceBuilder type(DeviceType newType) {
        type = newType;
        return this;
    }

    /** The name of its memory; that of the device unless chosen. */
    public SimulatedDeviceBuilder bufferTypeName(String newName) {
        bufferTypeName = newName;
        return this;
    }

    /** The power of two that addresses in its memory are multiples of. */
    public SimulatedDeviceBuilder alignment(long newAlignment) {
        alignment = newAlignment;
        return this;
    }

    /** The most bytes one buffer can have. */
    public SimulatedDeviceBuilder maxBufferSize(long bytes) {
        maxBufferSize = bytes;
        return this;
    }

    /** The bytes it has in all. */
    public SimulatedDeviceBuilder memoryLimit(long bytes) {
        memoryLimit = bytes;
        return this;
    }

    /** Has the host reach its memory, as with a processor or an integrated GPU. */
    public SimulatedDeviceBuilder hostMemory() {
        hostMemory = true;
        return this;
    }

    /** Has it work as a processor does: in host memory, reading all host memory, synchronously and without events. */
    public SimulatedDeviceBuilder processor() {
        return hostMemory().readingHostMemory().async(false).events(false);
    }

    /** Has the buffers of its memory be handles without an address, unless the host reaches them. */
    public SimulatedDeviceBuilder withoutAddresses() {
        addresses = false;
        return this;
    }

    /** Has it work in such memory, which the host or another device owns, instead of memory of its own. */
    public SimulatedDeviceBuilder sharing(BufferType memory) {
        sharedMemory = Optional.of(memory);
        return this;
    }

    /** Has it support only these ops, and leaves and views. */
    public SimulatedDeviceBuilder supporting(Set<Op> ops) {
        Set<Op> supported = Set.copyOf(ops);
        return supporting(node -> supported.contains(node.op())
                ? OpSupport.yes()
                : OpSupport.no("device '" + name + "' was made without " + node.op()));
    }

    /** Has it support what that function says, and leaves and views. */
    public SimulatedDeviceBuilder supporting(Function<Tensor, OpSupport> rule) {
        supports = rule;
        return this;
    }

    /** Has it read and write all memory of the host too. */
    public SimulatedDeviceBuilder readingHostMemory() {
        readable = readable.or(BufferType::isHost);
        return this;
    }

    /** Has it read and write memory of these names too: the host's, or another simulated device's. */
    public SimulatedDeviceBuilder reading(String... bufferTypeNames) {
        Set<String> names = Set.of(bufferTypeNames);
        readable = readable.or(other -> names.contains(other.name()));
        return this;
    }

    /** Has it ask for weights to be brought over from the host for these ops. */
    public SimulatedDeviceBuilder offloading(Set<Op> ops) {
        Set<Op> offloaded = Set.copyOf(ops);
        return offloading(node -> offloaded.contains(node.op()));
    }

    /** Has it ask for weights to be brought over from the host for these nodes. */
    public SimulatedDeviceBuilder offloading(Predicate<Tensor> rule) {
        offloads = rule;
        return this;
    }

    /** Whether its backends run ahead of the caller. */
    public SimulatedDeviceBuilder async(boolean isAsync) {
        return capability(Capability.ASYNC, isAsync);
    }

    /** Whether events can be made. */
    public SimulatedDeviceBuilder events(boolean hasEvents) {
        return capability(Capability.EVENTS, hasEvents);
    }

    /** Whether it has a kind of host memory that is fast to exchange with it. */
    public SimulatedDeviceBuilder hostBuffers(boolean hasHostBuffers) {
        return capability(Capability.HOST_BUFFER, hasHostBuffers);
    }

    /** Whether support queries about a whole graph are to be made in one call. */
    public SimulatedDeviceBuilder bulkQueries(boolean hasBulkQueries) {
        return capability(Capability.BULK_QUERIES, hasBulkQueries);
    }

    private SimulatedDeviceBuilder capability(Capability capability, boolean present) {
        if (present) {
            capabilities.add(capability);
        } else {
            capabilities.remove(capability);
        }
        return this;
    }

    /** Whether bytes get from it to other such devices, and from them to it, without the host in between. */
    public SimulatedDeviceBuilder directCopies(boolean hasDirectCopies) {
        directCopies = hasDirectCopies;
        return this;
    }

    /** The simulated time its work takes. */
    public SimulatedDeviceBuilder costs(Costs newCosts) {
        costs = newCosts;
        return this;
    }

    /** The clock the costs are added up on, for devices that are measured together. */
    public SimulatedDeviceBuilder clock(SimulatedClock newClock) {
        clock = newClock;
        return this;
    }

    /** What it does with the time its work takes. */
    public SimulatedDeviceBuilder delays(DelayPolicy newDelays) {
        delays = newDelays;
        return this;
    }

    /** Has it record every call when it is submitted, which is not when it is executed. */
    public SimulatedDeviceBuilder log(CallLog newLog) {
        log = Optional.of(newLog);
        return this;
    }

    /** Has it record what is written to its memory from the host. */
    public SimulatedDeviceBuilder uploads(UploadLog newUploads) {
        uploads = Optional.of(newUploads);
        return this;
    }

    /** Has it record its memory accesses and waits, for a {@link dev.stowage.testkit.race.RaceDetector}. */
    public SimulatedDeviceBuilder accesses(AccessLog newAccesses) {
        accesses = Optional.of(newAccesses);
        return this;
    }

    /** Has it compute with the kernels of a device that works in host memory, other than the reference. */
    public SimulatedDeviceBuilder computingWith(Device hostDevice) {
        kernels = hostDevice;
        return this;
    }

    /**
     * The device.
     *
     * @throws AllocationException if the alignment is not a power of two, or a size negative
     */
    public SimulatedDevice build() {
        return new SimulatedDevice(this);
    }
}
