package dev.stowage.cuda;

import dev.stowage.cuda.driver.CudaException;
import dev.stowage.cuda.driver.DeviceAttribute;
import dev.stowage.cuda.driver.Driver;
import dev.stowage.cuda.driver.Driver.MemoryInfo;
import dev.stowage.cuda.kernel.KernelLibrary;
import dev.stowage.cuda.memory.DeviceContext;
import dev.stowage.cuda.memory.DeviceMemoryType;
import dev.stowage.cuda.memory.PinnedType;
import dev.stowage.cuda.memory.RepackedType;
import dev.stowage.cuda.memory.WeightLayouts;
import dev.stowage.cuda.op.SiblingOrder;
import dev.stowage.cuda.op.unit.UnitWeightLayouts;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.Event;
import dev.stowage.device.OpSupport;
import dev.stowage.error.StowageException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** An NVIDIA GPU. */
final class CudaDevice implements Device {

    private static final System.Logger LOGGER = System.getLogger("dev.stowage.cuda");

    private static final Set<Capability> CAPABILITIES =
            Set.of(Capability.ASYNC, Capability.HOST_BUFFER, Capability.EVENTS, Capability.REORDER);

    private final DeviceContext context;
    private final GraphCompiler compiler;
    private final Gpu gpu;
    private final String description;
    private final DeviceType type;
    private final DeviceMemoryType memory;
    private final PinnedType pinned;
    private final WeightLayouts weights;
    /** The GPUs from whose memory copies go directly to this one, as far as that is possible. */
    private final Set<Integer> peers = ConcurrentHashMap.newKeySet();

    private @Nullable KernelLibrary kernels;

    /**
     * The GPU of that number.
     *
     * @throws CudaException if the driver does not say what it is
     */
    CudaDevice(Driver driver, int index, GraphCompiler compiler) {
        this.context = new DeviceContext(driver, index, "cuda" + index);
        this.compiler = compiler;
        this.gpu = Gpus.describe(driver, index);
        this.description = Gpus.text(driver, index, gpu);
        this.type = driver.deviceAttribute(index, DeviceAttribute.INTEGRATED) == 0
                ? DeviceType.GPU
                : DeviceType.INTEGRATED_GPU;
        this.memory = new DeviceMemoryType(context);
        this.pinned = new PinnedType(context);
        this.weights = new UnitWeightLayouts(memory, new RepackedType(context, this::kernels), gpu);
    }

    DeviceContext context() {
        return context;
    }

    Gpu gpu() {
        return gpu;
    }

    GraphCompiler compiler() {
        return compiler;
    }

    /** The kernels, made ready when they are first needed. */
    synchronized KernelLibrary kernels() {
        KernelLibrary known = kernels;
        if (known == null) {
            known = new KernelLibrary(context.driver(), context.handle(), gpu.capability());
            kernels = known;
        }
        return known;
    }

    @Override
    public String name() {
        return context.name();
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public DeviceType type() {
        return type;
    }

    /** None at all if the driver cannot say, as nothing can be taken then. */
    @Override
    public DeviceMemory memory() {
        try {
            MemoryInfo info = context.memoryInfo();
            return new DeviceMemory(info.free(), info.total());
        } catch (StowageException e) {
            LOGGER.log(System.Logger.Level.WARNING, "the memory of " + name() + " is not known: " + e.getMessage());
            return new DeviceMemory(0, 0);
        }
    }

    @Override
    public Optional<Throwable> lossCause() {
        return context.health().lossCause();
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    /** Products of one vector follow each other, so that they can be one launch. */
    @Override
    public Graph reorder(Graph graph) {
        return SiblingOrder.of(graph);
    }

    @Override
    public BufferType bufferType() {
        return memory;
    }

    @Override
    public Optional<BufferType> hostBufferType() {
        return Optional.of(pinned);
    }

    @Override
    public BufferType weightsType(Layout layout) {
        return weights.typeFor(layout);
    }

    @Override
    public OpSupport supports(Tensor node) {
        if (node.op() == Op.NONE || node.op().isViewOp()) {
            return OpSupport.yes();
        }
        OpSupport stored = weights.supports(node);
        return stored.isSupported() ? compiler.supports(node, gpu) : stored;
    }

    @Override
    public boolean supportsBufferType(BufferType other) {
        return other.equals(memory) || weights.has(other);
    }

    @Override
    public boolean offloadsOp(Tensor node) {
        return BatchSize.isWorthOffloading(node);
    }

    @Override
    public boolean copiesAsyncFrom(Device producer) {
        return producer instanceof CudaDevice other && sharesDriver(other);
    }

    /** Whether streams and memory of the two can be used together. */
    boolean sharesDriver(CudaDevice other) {
        return context.driver().equals(other.context.driver());
    }

    /** Lets copies from another GPU go directly to this one, where the two are connected. */
    void enableCopiesFrom(DeviceContext other) {
        if (other.index() != context.index() && peers.add(other.index())) {
            Driver driver = context.driver();
            try {
                if (driver.deviceCanAccessPeer(context.index(), other.index())) {
                    driver.ctxEnablePeerAccess(context.handle(), other.handle());
                }
            } catch (CudaException e) {
                LOGGER.log(
                        System.Logger.Level.DEBUG,
                        "copies from " + other.name() + " to " + name() + " go through the host: " + e.getMessage());
            }
        }
    }

    @Override
    public Backend open(BackendOptions options) {
        context.require("open");
        return CudaBackend.open(this, options);
    }

    @Override
    public Event createEvent() {
        return new CudaEvent(this);
    }

    @Override
    public synchronized void close() {
        KernelLibrary loaded = kernels;
        kernels = null;
        if (loaded != null && lossCause().isEmpty()) {
            try {
                loaded.close();
            } catch (CudaException e) {
                LOGGER.log(System.Logger.Level.DEBUG, "kernels of " + name() + " were not unloaded: " + e.getMessage());
            }
        }
        context.close();
    }

    @Override
    public String toString() {
        return name();
    }
}
