package dev.stowage.testkit.simulated;

import static dev.stowage.testkit.simulated.Parts.floats;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.device.Backend;
import dev.stowage.device.Capability;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.device.Event;
import dev.stowage.device.OpSupport;
import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.TensorData;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SimulatedDeviceTest {

    private final SimulatedDevice device = SimulatedDevice.named("gpu0").build();
    private final GraphBuilder builder = new GraphBuilder();
    private final Tensor x = builder.input("x", ElementType.F32, 8);

    @Test
    void isAGpuThatRunsAheadAndHasEventsUnlessChosenOtherwise() {
        assertThat(device.name()).isEqualTo("gpu0");
        assertThat(device.type()).isEqualTo(DeviceType.GPU);
        assertThat(device.capabilities()).containsExactlyInAnyOrder(Capability.ASYNC, Capability.EVENTS);
        assertThat(device.bufferType().name()).isEqualTo("gpu0");
    }

    @Test
    void keepsItsMemoryFromTheHost() {
        try (Buffer buffer = device.bufferType().allocate(64)) {
            assertThat(buffer.isHost()).isFalse();
            assertThat(buffer.hasSegment()).isFalse();
            assertThatThrownBy(buffer::segment).isInstanceOf(AccessException.class);
        }
    }

    @Test
    void givesBackWhatWasWritten() {
        try (Buffer buffer = device.bufferType().allocate(64)) {
            buffer.place(x, 0);

            TensorData.setFloats(x, 1, 2, 3, 4, 5, 6, 7, 8);

            assertThat(TensorData.getFloats(x)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
        }
    }

    @Test
    void newMemoryHoldsNoZerosToRelyOn() {
        try (Buffer buffer = device.bufferType().allocate(64)) {
            buffer.place(x, 0);

            assertThat(TensorData.getFloats(x)).containsOnly(Float.NaN);
        }
    }

    @Test
    void copiesBetweenTwoOfItsBuffersAndToTheHostAndBack() {
        Tensor there = floats("there", 8);
        Tensor home = floats("home", 8);
        try (Buffer first = device.bufferType().allocate(64);
                Buffer second = device.bufferType().allocate(64);
                Buffer host = HostBufferType.standard().allocate(64)) {
            first.place(x, 0);
            second.place(there, 0);
            host.place(home, 0);
            TensorData.setFloats(home, 1, 2, 3, 4, 5, 6, 7, 8);

            Buffer.copy(home, x);
            Buffer.copy(x, there);
            TensorData.setFloats(home, new float[8]);
            Buffer.copy(there, home);

            assertThat(TensorData.getFloats(home)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
        }
    }

    @Test
    void bouncesCopiesOffTheHostWhereOneEndHasNoDirectOnes() {
        SimulatedDevice alone =
                SimulatedDevice.named("gpu1").directCopies(false).build();
        Tensor there = floats("there", 8);
        try (Buffer first = device.bufferType().allocate(64);
                Buffer second = alone.bufferType().allocate(64)) {
            first.place(x, 0);
            second.place(there, 0);
            TensorData.setFloats(x, 1, 2, 3, 4, 5, 6, 7, 8);

            Buffer.copy(x, there);

            assertThat(TensorData.getFloats(there)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
            assertThat(alone.faults().calls(CallKind.COPY)).isZero();
            assertThat(device.faults().calls(CallKind.GET)).isEqualTo(1);
        }
    }

    @Test
    void refusesMoreMemoryThanItHasAndSaysHowMuchIsLeft() {
        SimulatedDevice small = SimulatedDevice.named("small").memoryLimit(1000).build();
        try (Buffer taken = small.bufferType().allocate(600)) {
            assertThat(taken.size()).isEqualTo(600);
            assertThatThrownBy(() -> small.bufferType().allocate(401))
                    .isInstanceOfSatisfying(AllocationException.class, refused -> {
                        assertThat(refused.bufferType()).isEqualTo("small");
                        assertThat(refused.requestedBytes()).isEqualTo(401);
                        assertThat(refused.availableBytes()).isEqualTo(400);
                    })
                    .hasMessageContainingAll("small", "401", "600 of its 1000");
            assertThat(small.memory()).isEqualTo(new DeviceMemory(400, 1000));
        }
        assertThat(small.memory()).isEqualTo(new DeviceMemory(1000, 1000));
    }

    @Test
    void refusesABufferLargerThanTheLargest() {
        SimulatedDevice small =
                SimulatedDevice.named("small").maxBufferSize(100).build();

        assertThat(small.bufferType().maxBufferSize()).isEqualTo(100);
        assertThatThrownBy(() -> small.bufferType().allocate(101))
                .isInstanceOfSatisfying(
                        AllocationException.class,
                        refused -> assertThat(refused.availableBytes()).isEqualTo(100));
        assertThat(small.openBuffers()).isZero();
    }

    @Test
    void givesABufferOfNoBytesEvenWhenFull() {
        SimulatedDevice full = SimulatedDevice.named("full").memoryLimit(0).build();
        full.faults().failAny(1, FaultKind.OUT_OF_MEMORY);

        try (Buffer empty = full.bufferType().allocate(0)) {
            assertThat(empty.size()).isZero();
        }
    }

    @Test
    void alignsAsAskedAndNoMore() {
        SimulatedDevice aligned =
                SimulatedDevice.named("aligned").alignment(256).build();

        try (Buffer buffer = aligned.bufferType().allocate(512)) {
            assertThat(buffer.address() % 256).isZero();
            assertThat(buffer.address() % 512).isNotZero();
        }
    }

    @Test
    void hasNoAddressIfItsMemoryIsAHandle() {
        SimulatedDevice handles =
                SimulatedDevice.named("handles").withoutAddresses().build();

        try (Buffer buffer = handles.bufferType().allocate(512)) {
            assertThat(buffer.address()).isZero();
            assertThat(buffer.hasSegment()).isFalse();
            assertThat(buffer.isHost()).isFalse();
        }
    }

    @Test
    void refusesAnAlignmentThatIsNotAPowerOfTwo() {
        assertThatThrownBy(() -> SimulatedDevice.named("odd").alignment(48).build())
                .isInstanceOf(AllocationException.class)
                .hasMessageContaining("48");
    }

    @Test
    void countsBuffersUntilTheyAreClosed() {
        Buffer buffer = device.bufferType().allocate(100);
        assertThat(device.openBuffers()).isEqualTo(1);
        assertThat(device.openBytes()).isEqualTo(100);

        buffer.close();
        buffer.close();

        assertThat(device.openBuffers()).isZero();
        assertThat(device.openBytes()).isZero();
    }

    @Test
    void refusesToReachForBytesOfAClosedBuffer() {
        Buffer buffer = device.bufferType().allocate(64);
        buffer.place(x, 0);
        buffer.close();

        assertThatThrownBy(() -> TensorData.getFloats(x)).isInstanceOf(ClosedException.class);
    }

    @Test
    void supportsTheOpsChosenAndSaysWhyNotTheOthers() {
        SimulatedDevice adder =
                SimulatedDevice.named("adder").supporting(Set.of(Op.ADD)).build();

        assertThat(adder.supports(builder.add(x, x)).isSupported()).isTrue();
        assertThat(adder.supports(builder.reshape(x, 4, 2)).isSupported()).isTrue();
        assertThat(adder.supports(x).isSupported()).isTrue();
        assertThat(adder.supports(builder.mul(x, x))).isEqualTo(OpSupport.no("device 'adder' was made without MUL"));
    }

    @Test
    void supportsWhatARuleSays() {
        SimulatedDevice picky = SimulatedDevice.named("picky")
                .supporting(node -> node.dim(0) > 4 ? OpSupport.yes() : OpSupport.no("too small"))
                .build();
        Tensor small = builder.input("small", ElementType.F32, 2);

        assertThat(picky.supports(builder.add(x, x)).isSupported()).isTrue();
        assertThat(picky.supports(builder.add(small, small))).isEqualTo(OpSupport.no("too small"));
    }

    @Test
    void readsOnlyItsOwnMemoryByDefault() {
        SimulatedDevice other = SimulatedDevice.named("gpu1").build();
        SimulatedDevice curious = SimulatedDevice.named("gpu2")
                .readingHostMemory()
                .reading("gpu1")
                .build();

        assertThat(device.supportsBufferType(device.bufferType())).isTrue();
        assertThat(device.supportsBufferType(other.bufferType())).isFalse();
        assertThat(device.supportsBufferType(HostBufferType.standard())).isFalse();
        assertThat(curious.supportsBufferType(other.bufferType())).isTrue();
        assertThat(curious.supportsBufferType(device.bufferType())).isFalse();
        assertThat(curious.supportsBufferType(HostBufferType.standard())).isTrue();
    }

    @Test
    void asksForTheWeightsOfTheOpsItOffloads() {
        SimulatedDevice offloading =
                SimulatedDevice.named("gpu1").offloading(Set.of(Op.MUL)).build();

        assertThat(offloading.offloadsOp(builder.mul(x, x))).isTrue();
        assertThat(offloading.offloadsOp(builder.add(x, x))).isFalse();
        assertThat(device.offloadsOp(builder.mul(x, x))).isFalse();
    }

    @Test
    void hasHostBuffersWhereChosen() {
        SimulatedDevice pinning =
                SimulatedDevice.named("gpu1").hostBuffers(true).build();

        assertThat(pinning.capabilities()).contains(Capability.HOST_BUFFER);
        assertThat(pinning.hostBufferType())
                .hasValueSatisfying(type -> assertThat(type.isHost()).isTrue());
        assertThat(device.hostBufferType()).isEmpty();
    }

    @Test
    void worksInMemoryOfTheHostWhereChosen() {
        SimulatedDevice processor =
                SimulatedDevice.named("cpu").type(DeviceType.CPU).hostMemory().build();

        try (Buffer buffer = processor.bufferType().allocate(64)) {
            buffer.place(x, 0);
            TensorData.setFloats(x, 1, 2, 3, 4, 5, 6, 7, 8);

            assertThat(buffer.isHost()).isTrue();
            assertThat(TensorData.segment(x).mismatch(Parts.bytes(1, 2, 3, 4, 5, 6, 7, 8)))
                    .isEqualTo(-1);
        }
    }

    @Test
    void makesNoEventsWhereItHasNone() {
        SimulatedDevice eventless = SimulatedDevice.named("gpu1").events(false).build();

        assertThat(eventless.capabilities()).doesNotContain(Capability.EVENTS);
        assertThatThrownBy(eventless::createEvent)
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("gpu1");
    }

    @Test
    void countsEventsUntilTheyAreClosed() {
        Event event = device.createEvent();
        assertThat(device.openEvents()).isEqualTo(1);

        event.close();
        event.close();

        assertThat(device.openEvents()).isZero();
        assertThatThrownBy(event::synchronize).isInstanceOf(ClosedException.class);
    }

    /** Every pair of devices, between some of which an asynchronous copy in the order of both streams is accepted. */
    @Test
    void saysBeforehandWhichCopiesItsBackendsTakeOn() {
        List<SimulatedDevice> devices = List.of(
                device,
                SimulatedDevice.named("direct").build(),
                SimulatedDevice.named("host").hostMemory().build(),
                SimulatedDevice.named("shares").sharing(device.bufferType()).build(),
                SimulatedDevice.named("waits").async(false).build(),
                SimulatedDevice.named("bounces").directCopies(false).build(),
                SimulatedDevice.named("inHost")
                        .sharing(HostBufferType.standard())
                        .build());
        for (SimulatedDevice from : devices) {
            for (SimulatedDevice to : devices) {
                Tensor source = Parts.floats("source", 4);
                Tensor copy = Parts.floats("copy", 4);
                try (Buffer _ = Allocations.allocateAll(List.of(source), from.bufferType());
                        Buffer _ = Allocations.allocateAll(List.of(copy), to.bufferType());
                        Backend producer = from.open();
                        Backend consumer = to.open()) {
                    assertThat(to.copiesAsyncFrom(from))
                            .as("from %s to %s", from, to)
                            .isEqualTo(consumer.tryCopyAsync(producer, BoundTensor.of(source), BoundTensor.of(copy)));
                }
            }
        }
        assertThat(device.copiesAsyncFrom(Parts.reference())).isFalse();
        assertThat(devices.get(1).copiesAsyncFrom(device)).isTrue();
    }
}
