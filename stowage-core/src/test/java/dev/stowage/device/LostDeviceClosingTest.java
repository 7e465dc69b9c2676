package dev.stowage.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.AllocationException;
import dev.stowage.error.DeviceException;
import dev.stowage.error.DeviceLostException;
import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.plan.BoundGraph;
import dev.stowage.plan.GraphAllocator;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.Scheduler;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A driver that is gone cannot even give things back: closing whatever a lost device held is fine all the same. */
class LostDeviceClosingTest {

    private final FrailDevice device = new FrailDevice();
    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.input("x", ElementType.F32, 2);
    private final Tensor y = b.add(x, x).asOutput();
    private final Graph graph = b.build(y);

    private static final class FrailDevice implements Device, BufferType {

        private final DeviceHealth health = new DeviceHealth();
        private final AtomicInteger released = new AtomicInteger();
        private boolean refuses;

        private void giveBack() {
            released.incrementAndGet();
            health.require(name(), "release");
            if (refuses) {
                throw DeviceException.of(name(), "release", "not now");
            }
        }

        void lose() {
            health.lose(new IllegalStateException("the driver is gone"));
        }

        @Override
        public String name() {
            return "frail";
        }

        @Override
        public String description() {
            return "a device that gives nothing back once it is lost";
        }

        @Override
        public DeviceType type() {
            return DeviceType.GPU;
        }

        @Override
        public DeviceMemory memory() {
            return new DeviceMemory(1 << 20, 1 << 20);
        }

        @Override
        public Optional<Throwable> lossCause() {
            return health.lossCause();
        }

        @Override
        public BufferType bufferType() {
            return this;
        }

        @Override
        public OpSupport supports(Tensor node) {
            return OpSupport.yes();
        }

        @Override
        public boolean supportsBufferType(BufferType type) {
            return equals(type);
        }

        @Override
        public Backend open(BackendOptions options) {
            return new FrailBackend(this);
        }

        @Override
        public long alignment() {
            return 16;
        }

        @Override
        public Buffer allocate(long size) throws AllocationException {
            return new FrailBuffer(this, size);
        }
    }

    private static final class FrailBackend extends Backend {

        private final FrailDevice frail;

        FrailBackend(FrailDevice device) {
            super(device);
            this.frail = device;
        }

        @Override
        protected void doCompute(BoundGraph graph) {}

        @Override
        protected PreparedGraph doPrepare(BoundGraph graph) {
            return new PreparedGraph(this, graph) {
                @Override
                protected void doCompute() {}

                @Override
                protected void doUpdate(BoundGraph newGraph) {}

                @Override
                protected void doClose() {
                    frail.giveBack();
                }
            };
        }

        @Override
        protected void doClose() {
            frail.giveBack();
        }
    }

    private static final class FrailBuffer extends Buffer {

        private final FrailDevice device;

        FrailBuffer(FrailDevice device, long size) {
            super(device, size);
            this.device = device;
        }

        @Override
        protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {}

        @Override
        protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {}

        @Override
        protected void doMemset(long offset, long length, byte value) {}

        @Override
        protected void doClose() {
            device.giveBack();
        }
    }

    @Test
    void anAllocatorAndItsBuffersCanBeClosed() {
        GraphAllocator allocator = GraphAllocator.on(device);
        allocator.bind(graph);
        device.lose();

        assertThatCode(allocator::close).doesNotThrowAnyException();
        assertThat(device.released).hasValue(1);
    }

    @Test
    void aPreparedGraphAndItsBackendCanBeClosed() {
        try (GraphAllocator allocator = GraphAllocator.on(device)) {
            BoundGraph bound = allocator.bind(graph);
            Backend backend = device.open();
            PreparedGraph first = backend.prepare(bound);
            backend.prepare(bound);
            device.lose();

            assertThatCode(first::close).doesNotThrowAnyException();
            assertThatCode(backend::close).doesNotThrowAnyException();
            assertThat(device.released)
                    .as("two prepared graphs and the backend")
                    .hasValue(3);
        }
    }

    @Test
    void aSchedulerCanBeClosed() {
        Backend backend = device.open();
        Scheduler scheduler = Scheduler.over(List.of(backend));
        BoundSchedule bound = scheduler.bind(graph);
        bound.run();
        device.lose();

        assertThatThrownBy(bound::run).hasCauseInstanceOf(DeviceLostException.class);
        assertThatCode(scheduler::close).doesNotThrowAnyException();
        assertThatCode(backend::close).doesNotThrowAnyException();
        assertThat(device.released).as("memory, prepared graph and backend").hasValue(3);
    }

    @Test
    void aDeviceThatIsThereReportsItsFailureAfterEverythingWasTried() {
        GraphAllocator allocator = GraphAllocator.on(device);
        BoundGraph bound = allocator.bind(graph);
        Backend backend = device.open();
        backend.prepare(bound);
        backend.prepare(bound);
        device.refuses = true;

        assertThatThrownBy(backend::close).isInstanceOf(DeviceException.class);
        assertThat(device.released).hasValue(3);
        device.refuses = false;
        allocator.close();
    }
}
