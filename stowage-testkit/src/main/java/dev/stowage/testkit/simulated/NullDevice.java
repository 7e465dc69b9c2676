package dev.stowage.testkit.simulated;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.Event;
import dev.stowage.device.OpSupport;
import dev.stowage.error.DeviceException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.recording.RecordingDevice;
import java.util.Set;

/**
 * A device that has memory and computes nothing, for tests in which the results do not matter. It allocates nothing itself
 * when it runs, so that the time and the garbage of a run are those of its caller. Use a {@link RecordingDevice} to see the
 * calls, and a {@link SimulatedDevice} to get results.
 */
public final class NullDevice implements Device {

    private final HostBufferType memory;
    private final OpSupport support;

    private NullDevice(HostBufferType memory, OpSupport support) {
        this.memory = memory;
        this.support = support;
    }

    /** A GPU with the name of that memory, which accepts every op, event and copy and does nothing with them. */
    public static NullDevice accepting(HostBufferType memory) {
        return new NullDevice(memory, OpSupport.yes());
    }

    /** An accelerator in host memory that runs no op and has no optional capability. */
    public static NullDevice refusing(String name) {
        return new NullDevice(HostBufferType.standard().withName(name), OpSupport.no("it runs nothing"));
    }

    private boolean isAccepting() {
        return support.isSupported();
    }

    @Override
    public String name() {
        return memory.name();
    }

    @Override
    public String description() {
        return "computes nothing";
    }

    @Override
    public DeviceType type() {
        return isAccepting() ? DeviceType.GPU : DeviceType.ACCELERATOR;
    }

    @Override
    public DeviceMemory memory() {
        return isAccepting() ? new DeviceMemory(Long.MAX_VALUE, Long.MAX_VALUE) : new DeviceMemory(0, 0);
    }

    @Override
    public Set<Capability> capabilities() {
        return isAccepting() ? Set.of(Capability.EVENTS) : Set.of();
    }

    @Override
    public HostBufferType bufferType() {
        return memory;
    }

    @Override
    public OpSupport supports(Tensor node) {
        return node.isLeaf() || node.op().isViewOp() ? OpSupport.yes() : support;
    }

    @Override
    public boolean supportsBufferType(BufferType type) {
        return isAccepting() ? type.equals(memory) : type.isHost();
    }

    @Override
    public boolean copiesAsyncFrom(Device producer) {
        return isAccepting();
    }

    @Override
    public Event createEvent() {
        return isAccepting() ? new NullEvent(this) : Device.super.createEvent();
    }

    @Override
    public Backend open(BackendOptions options) {
        return new NullBackend(this);
    }

    /** An event that is always done. */
    private record NullEvent(Device device) implements Event {

        @Override
        public void synchronize() {}

        @Override
        public boolean isDone() {
            return true;
        }

        @Override
        public void close() {}
    }

    private static final class NullBackend extends Backend {

        private final NullDevice device;

        NullBackend(NullDevice device) {
            super(device);
            this.device = device;
        }

        @Override
        protected void doCompute(BoundGraph bound) {
            if (!device.isAccepting()) {
                bound.graph().nodes().forEach(this::require);
            }
        }

        private void require(Tensor node) {
            OpSupport answer = device.supports(node);
            if (!answer.isSupported()) {
                throw DeviceException.of(device.name(), "compute", node.describe(), answer.reason());
            }
        }

        @Override
        protected boolean doTryCopy(Backend producer, BoundTensor from, BoundTensor to) {
            return device.isAccepting() || super.doTryCopy(producer, from, to);
        }

        @Override
        protected void doRecord(Event event) {
            if (!device.isAccepting()) {
                super.doRecord(event);
            }
        }

        @Override
        protected void doClose() {}
    }
}
