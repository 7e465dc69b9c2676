package dev.stowage.schedule.pass;

import static dev.stowage.schedule.Tensors.copyInto;
import static dev.stowage.schedule.Tensors.input;
import static dev.stowage.schedule.Tensors.leaf;
import static dev.stowage.schedule.Tensors.node;
import static dev.stowage.schedule.Tensors.view;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Capability;
import dev.stowage.memory.BufferUsage;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.schedule.DeviceSet;
import dev.stowage.schedule.FakeDevice;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class HazardsTest {

    private final FakeDevice cpu = FakeDevice.onTheHost("cpu");
    private final FakeDevice gpu = FakeDevice.called("gpu").having(Capability.ASYNC);
    private final FakeDevice second = FakeDevice.called("second").having(Capability.ASYNC);

    private final Tensor x = leaf("x");
    private final Tensor a = node("a", x);
    private final Tensor b = node("b", a);

    /** Who waits for whom, as {@code waiter for other}. */
    private static List<String> waits(TestTable table) {
        Hazards hazards = table.hazards();
        DeviceSet devices = table.table().devices();
        List<String> waits = new ArrayList<>();
        for (int device = 0; device < devices.count(); device++) {
            for (int other = 0; other < devices.count(); other++) {
                if (hazards.mustWaitFor(device, other)) {
                    waits.add(devices.name(device) + " for " + devices.name(other));
                }
            }
        }
        return waits;
    }

    private TestTable chain(FakeDevice ofA, FakeDevice ofB) {
        return TestTable.over(gpu, second, cpu)
                .computing(b)
                .with(a, ofA)
                .with(b, ofB)
                .placed();
    }

    @Nested
    class DevicesWait {

        @Test
        void forNoneIfEachHasMemoryOfItsOwn() {
            assertThat(waits(chain(gpu, second))).isEmpty();
        }

        @Test
        void forOneWhoseResultTheyReadInPlace() {
            cpu.readingMemoryOf(gpu);

            assertThat(waits(chain(gpu, cpu))).containsExactly("cpu for gpu");
        }

        @Test
        void forOneThatReadsTheirResultInPlaceBeforeTheyWriteThereAgain() {
            gpu.readingMemoryOf(cpu);

            assertThat(waits(chain(cpu, gpu))).containsExactly("cpu for gpu");
        }

        @Test
        void forEachOtherIfBothWorkOnWhileTheCallerDoes() {
            second.readingMemoryOf(gpu);

            assertThat(waits(chain(gpu, second))).containsExactly("gpu for second", "second for gpu");
        }

        @Test
        void forOneThatWorksInTheSameMemory() {
            FakeDevice peer = FakeDevice.called("peer").workingInMemoryOf(gpu).having(Capability.ASYNC);

            assertThat(waits(TestTable.over(gpu, peer, cpu)
                            .computing(b)
                            .with(a, gpu)
                            .with(b, cpu)
                            .placed()))
                    .containsExactly("gpu for peer", "peer for gpu");
        }

        @Test
        void notForOneThatIsDoneWhenItReturns() {
            FakeDevice blas = FakeDevice.called("blas").workingInMemoryOf(cpu);

            assertThat(waits(TestTable.over(gpu, blas, cpu)
                            .computing(b)
                            .with(a, blas)
                            .with(b, cpu)
                            .placed()))
                    .isEmpty();
        }

        @Test
        void notBecauseOfAWeightThatNoNodeWrites() {
            second.readingMemoryOf(gpu);
            Tensor weight = gpu.weight("weight");
            Tensor here = node("here", weight);
            Tensor there = node("there", weight);

            assertThat(waits(TestTable.over(gpu, second, cpu)
                            .computing(here, there)
                            .with(here, gpu)
                            .with(there, second)
                            .placed()))
                    .isEmpty();
        }

        @Test
        void becauseOfStoredBytesThatOneWritesAndAnotherReads() {
            second.readingMemoryOf(gpu);
            Tensor cache = gpu.cache("cache");
            Tensor reader = node("reader", cache);

            assertThat(waits(TestTable.over(gpu, second, cpu)
                            .computing(copyInto("written", x, cache), reader)
                            .with(x, gpu)
                            .with(reader, second)
                            .placed()))
                    .containsExactly("gpu for second", "second for gpu");
        }

        @Test
        void becauseOfStoredBytesOfAnyDevice() {
            MeasuringBufferType shared = MeasuringBufferType.of("shared", 32);
            FakeDevice owner = FakeDevice.called("owner").reading(shared).refusing(Op.CPY);
            gpu.reading(shared);
            second.reading(shared);
            Tensor cache = FakeDevice.stored("cache", shared, BufferUsage.ANY);
            Tensor written = copyInto("written", x, cache);
            Tensor reader = node("reader", cache);
            TestTable table = TestTable.over(owner, gpu, second)
                    .computing(written, reader)
                    .with(x, gpu)
                    .with(reader, second)
                    .placed();

            assertThat(table.deviceOf(cache)).contains(owner);
            assertThat(table.deviceOf(written)).contains(gpu);
            assertThat(waits(table)).contains("gpu for second", "second for gpu");
        }

        @Test
        void becauseOfAViewToo() {
            second.readingMemoryOf(gpu);
            Tensor reader = node("reader", view("seen", a));

            assertThat(waits(TestTable.over(gpu, second, cpu)
                            .computing(reader)
                            .with(a, gpu)
                            .with(reader, second)
                            .placed()))
                    .containsExactly("gpu for second", "second for gpu");
        }

        @Test
        void notBecauseOfAViewOpThatMovesNoBytes() {
            second.readingMemoryOf(gpu);
            Tensor seen = view("seen", a);

            assertThat(waits(TestTable.over(gpu, second, cpu)
                            .computing(seen)
                            .with(a, gpu)
                            .with(seen, second)
                            .placed()))
                    .isEmpty();
        }
    }

    @Nested
    class AnInputIsReadInFlight {

        private final Tensor token = input("token");
        private final Tensor reader = node("reader", token);

        private boolean isReadInFlight(TestTable table) {
            return table.hazards().isReadInFlight(table.graph().idOf(token));
        }

        @Test
        void byADeviceThatReadsItInPlaceAndWorksOn() {
            gpu.readingMemoryOf(cpu);

            assertThat(isReadInFlight(TestTable.over(gpu, cpu)
                            .computing(reader)
                            .with(reader, gpu)
                            .placed()))
                    .isTrue();
        }

        @Test
        void throughAViewToo() {
            gpu.readingMemoryOf(cpu);
            Tensor other = node("other", view("seen", token));

            assertThat(isReadInFlight(TestTable.over(gpu, cpu)
                            .computing(other)
                            .with(other, gpu)
                            .placed()))
                    .isTrue();
        }

        @Test
        void notIfItIsCopied() {
            assertThat(isReadInFlight(TestTable.over(gpu, cpu)
                            .computing(reader)
                            .with(reader, gpu)
                            .placed()))
                    .isFalse();
        }

        @Test
        void notByADeviceThatIsDoneWhenItReturns() {
            assertThat(isReadInFlight(TestTable.over(gpu, cpu)
                            .computing(reader)
                            .with(reader, cpu)
                            .placed()))
                    .isFalse();
        }

        @Test
        void byNoneWhereNoDeviceIsAsync() {
            FakeDevice plain = FakeDevice.called("plain").readingMemoryOf(cpu);

            assertThat(isReadInFlight(TestTable.over(plain, cpu)
                            .computing(reader)
                            .with(reader, plain)
                            .placed()))
                    .isFalse();
        }
    }

    @Test
    void knowsWhoWorksOn() {
        Hazards hazards = chain(gpu, cpu).hazards();

        assertThat(hazards.isAsync(0)).isTrue();
        assertThat(hazards.isAsync(2)).isFalse();
    }
}
