package dev.stowage.schedule.pass;

import static dev.stowage.schedule.Tensors.leaf;
import static dev.stowage.schedule.Tensors.node;
import static dev.stowage.schedule.Tensors.view;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.schedule.FakeDevice;
import dev.stowage.schedule.Rule;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ResolvePassTest {

    private final FakeDevice cpu = FakeDevice.onTheHost("cpu");
    private final FakeDevice gpu = FakeDevice.called("gpu");
    private final FakeDevice second = FakeDevice.called("second");

    private final Tensor x = leaf("x");
    private final Tensor y = leaf("y");
    private final Tensor z = leaf("z");

    @Nested
    class ANodeWithoutADevice {

        private final Tensor sum = node("sum", x, y, z);

        @Test
        void goesWhereTheMostOfItsSourcesCanBeRead() {
            TestTable settled = TestTable.over(gpu, second, cpu)
                    .computing(sum)
                    .with(x, gpu)
                    .with(y, second)
                    .with(z, second)
                    .settled();

            assertThat(settled.deviceOf(sum)).contains(second);
            assertThat(settled.reasonOf(sum).rule()).isEqualTo(Rule.MOST_SOURCES);
        }

        @Test
        void countsWhatADeviceReadsInAnothersMemory() {
            cpu.readingMemoryOf(gpu, second);

            assertThat(TestTable.over(gpu, second, cpu)
                            .computing(sum)
                            .with(x, gpu)
                            .with(y, second)
                            .with(z, cpu)
                            .settled()
                            .deviceOf(sum))
                    .contains(cpu);
        }

        @Test
        void goesToTheFirstOfTwoThatReadAsMany() {
            assertThat(TestTable.over(gpu, second, cpu)
                            .computing(sum)
                            .with(y, second)
                            .with(z, cpu)
                            .settled()
                            .deviceOf(sum))
                    .contains(second);
        }

        @Test
        void goesToTheFirstDeviceIfNoneReadsAnySource() {
            assertThat(TestTable.over(gpu, second, cpu).computing(sum).settled().deviceOf(sum))
                    .contains(gpu);
        }

        @Test
        void goesOnlyWhereItsOpRuns() {
            gpu.refusing(Op.CONCAT);

            assertThat(TestTable.over(gpu, second, cpu)
                            .computing(sum)
                            .with(x, gpu)
                            .with(y, gpu)
                            .with(z, cpu)
                            .settled()
                            .deviceOf(sum))
                    .contains(cpu);
        }

        @Test
        void countsASourceThatIsReadTwiceTwice() {
            Tensor twice = node("twice", x, y, y);

            assertThat(TestTable.over(gpu, second, cpu)
                            .computing(twice)
                            .with(x, gpu)
                            .with(y, second)
                            .settled()
                            .deviceOf(twice))
                    .contains(second);
        }

        @Test
        void doesNotCountStoredSourcesThatHaveNoDeviceYet() {
            Tensor stored = second.cache("stored");
            Tensor reader = node("reader", x, stored);

            assertThat(TestTable.over(gpu, second, cpu)
                            .computing(reader)
                            .with(x, cpu)
                            .settled()
                            .deviceOf(reader))
                    .contains(cpu);
        }

        @Test
        void countsViewsOfWhatIsOnADevice() {
            Tensor seen = view("seen", y);
            Tensor reader = node("reader", x, seen, seen);

            assertThat(TestTable.over(gpu, second, cpu)
                            .computing(reader)
                            .with(x, gpu)
                            .with(y, second)
                            .settled()
                            .deviceOf(reader))
                    .contains(second);
        }

        @Test
        void countsSourcesThatWereSettledBefore() {
            Tensor early = node("early", x);
            Tensor late = node("late", early);

            assertThat(TestTable.over(gpu, second, cpu)
                            .computing(late)
                            .with(x, second)
                            .settled()
                            .deviceOf(late))
                    .contains(second);
        }

        @Test
        void staysWithoutIfNoDeviceRunsIt() {
            gpu.refusing(Op.CONCAT);
            cpu.refusing(Op.CONCAT);

            assertThat(TestTable.over(gpu, cpu).computing(sum).settled().deviceOf(sum))
                    .isEmpty();
        }
    }

    @Nested
    class ANodeWithADevice {

        private final FakeDevice blas = FakeDevice.called("blas").workingInMemoryOf(cpu);
        private final Tensor product = node("product", Op.MUL_MAT, x, y);

        private TestTable onTheProcessor() {
            return TestTable.over(gpu, blas, cpu)
                    .computing(product)
                    .with(x, cpu)
                    .with(y, cpu)
                    .with(product, cpu);
        }

        @Test
        void movesUpToADeviceThatWorksInTheSameMemory() {
            TestTable settled = onTheProcessor().settled();

            assertThat(settled.deviceOf(product)).contains(blas);
            assertThat(settled.reasonOf(product).rule()).isEqualTo(Rule.UPGRADED);
        }

        @Test
        void movesUpToTheFirstSuchDevice() {
            FakeDevice better = FakeDevice.called("better").workingInMemoryOf(cpu);

            assertThat(TestTable.over(better, blas, cpu)
                            .computing(product)
                            .with(x, cpu)
                            .with(y, cpu)
                            .with(product, cpu)
                            .settled()
                            .deviceOf(product))
                    .contains(better);
        }

        @Test
        void doesNotMoveWhereItsOpDoesNotRun() {
            blas.refusing(Op.MUL_MAT);

            assertThat(onTheProcessor().settled().deviceOf(product)).contains(cpu);
        }

        @Test
        void doesNotMoveToADeviceThatWorksInOtherMemoryThoughItReadsThis() {
            gpu.readingMemoryOf(cpu);
            blas.refusing(Op.MUL_MAT);

            assertThat(onTheProcessor().settled().deviceOf(product)).contains(cpu);
        }

        @Test
        void doesNotMoveAwayFromASourceThatOnlyItsOwnDeviceReads() {
            cpu.readingMemoryOf(gpu);

            assertThat(onTheProcessor().with(y, gpu).settled().deviceOf(product))
                    .contains(cpu);
        }

        @Test
        void doesNotMoveWhileASourceIsNowhere() {
            assertThat(TestTable.over(gpu, blas, cpu)
                            .computing(product)
                            .with(x, cpu)
                            .with(product, cpu)
                            .settled()
                            .deviceOf(product))
                    .contains(cpu);
        }

        @Test
        void neverMovesDown() {
            assertThat(onTheProcessor().with(product, blas).settled().deviceOf(product))
                    .contains(blas);
        }
    }

    @Test
    void passesOverOpsThatOnlyGiveBytesAnotherForm() {
        FakeDevice blas = FakeDevice.called("blas").workingInMemoryOf(cpu);
        Tensor open = view("open", x);
        Tensor assigned = view("assigned", y);

        TestTable settled = TestTable.over(blas, cpu)
                .computing(open, assigned)
                .with(x, cpu)
                .with(y, cpu)
                .with(assigned, cpu)
                .settled();

        assertThat(settled.deviceOf(open)).isEmpty();
        assertThat(settled.deviceOf(assigned)).contains(cpu);
    }
}
