package dev.stowage.memory;

import static dev.stowage.memory.FakeMemory.bytes;
import static dev.stowage.memory.FakeMemory.isAt;
import static dev.stowage.memory.FakeMemory.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Storage;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AllocationsTest {

    private static final long ALIGNMENT = 32;

    private final FakeMemory memory = new FakeMemory("fake", ALIGNMENT, 128);

    @Test
    void putsEverythingIntoOneBufferThatFitsExactly() {
        List<Tensor> tensors = List.of(bytes("a", 10), bytes("b", 32), bytes("c", 33));
        try (Buffer buffer = Allocations.allocateAll(tensors, memory)) {
            assertThat(buffer).isInstanceOf(FakeMemory.FakeBuffer.class);
            assertThat(buffer.size()).isEqualTo(128);
            assertThat(tensors).extracting(Tensor::storageOffset).containsExactly(0L, 32L, 64L);
            assertThat(tensors).allMatch(tensor -> Buffer.of(tensor).is(buffer));
        }
        assertThat(memory.open).isEmpty();
    }

    @Test
    void opensAnotherBufferWhereTheNextTensorWouldPassTheLargestSize() {
        List<Tensor> tensors = List.of(bytes("a", 64), bytes("b", 64), bytes("c", 1), bytes("d", 96));
        try (Buffer buffer = Allocations.allocateAll(tensors, memory)) {
            assertThat(memory.requests).containsExactly(128L, 128L);
            assertThat(tensors).extracting(Tensor::storageOffset).containsExactly(0L, 64L, 0L, 32L);
            assertThat(buffer).isInstanceOf(MultiBuffer.class);
            assertThat(buffer.size()).isEqualTo(256);
        }
        assertThat(memory.open).isEmpty();
    }

    @Test
    void asksForATensorLargerThanTheLargestSizeInABufferOfItsOwn() {
        memory.givesLarger = true;
        List<Tensor> tensors = List.of(bytes("a", 1), bytes("large", 300), bytes("c", 1));
        try (Buffer buffer = Allocations.allocateAll(tensors, memory)) {
            assertThat(((MultiBuffer) buffer).parts()).extracting(Buffer::size).containsExactly(32L, 320L, 32L);
        }
    }

    @Test
    void saysWhichTensorTheTypeRefused() {
        List<Tensor> tensors = List.of(bytes("a", 1), bytes("large", 300), bytes("c", 1));
        assertThatThrownBy(() -> Allocations.allocateAll(tensors, memory))
                .isInstanceOfSatisfying(AllocationException.class, e -> {
                    assertThat(e.requestedBytes()).isEqualTo(320);
                    assertThat(e.availableBytes()).isEqualTo(128);
                    assertThat(e.bufferType()).isEqualTo("fake");
                    assertThat(e).hasMessageContainingAll("'large'", "320 bytes of fake", "128");
                });
        assertThat(memory.requests).containsExactly(32L, 320L);
        assertThat(tensors).noneMatch(AllocationsTest::hasOpenMemory);
        assertThat(memory.open).isEmpty();
    }

    @Test
    void skipsTensorsThatHaveAPlace() {
        Tensor placed = bytes("placed", 64);
        Buffer elsewhere = HostBufferType.standard().allocate(64);
        elsewhere.place(placed, 0);
        Tensor a = bytes("a", 64);
        try (Buffer buffer = Allocations.allocateAll(List.of(placed, a), memory)) {
            assertThat(buffer.size()).isEqualTo(64);
            assertThat(isAt(placed, elsewhere, 0)).isTrue();
        }
        elsewhere.close();
    }

    @Test
    void givesNoMemoryToViewsButInitialisesThemInOrder() {
        Tensor a = bytes("a", 64);
        Tensor b = bytes("b", 64);
        Tensor view = view(a, "view of a", 8, 8);
        try (Buffer buffer = Allocations.allocateAll(List.of(a, view, b), memory)) {
            assertThat(buffer.size()).isEqualTo(128);
            assertThat(isAt(view, buffer, 8)).isTrue();
            assertThat(memory.initialized).containsExactly("a", "view of a", "b");
        }
    }

    @Test
    void initialisesAViewOfATensorThatIsStoredInOtherMemoryThere() {
        FakeMemory other = FakeMemory.aligned(64);
        Tensor placed = bytes("placed", 64);
        other.allocate(64).place(placed, 0);
        Allocations.allocateAll(List.of(bytes("a", 1), view(placed, "view", 0, 8)), memory)
                .close();
        assertThat(other.initialized).containsExactly("placed", "view");
        assertThat(memory.initialized).containsExactly("a");
    }

    @Test
    void leavesAViewOfMemoryThatIsNotABufferAlone() {
        Tensor placed = bytes("placed", 64);
        new Elsewhere().hold(placed);
        Allocations.allocateAll(List.of(placed, view(placed, "view", 0, 8)), memory)
                .close();
        assertThat(memory.initialized).isEmpty();
    }

    @Test
    void refusesAViewThatComesBeforeItsSourceAndTakesNothing() {
        Tensor source = bytes("source", 8);
        List<Tensor> tensors = List.of(bytes("a", 8), view(source, "view", 0, 8), source);
        assertThatThrownBy(() -> Allocations.allocateAll(tensors, memory))
                .isInstanceOf(AccessException.class)
                .hasMessageContaining("'view'");
        assertThat(tensors).noneMatch(AllocationsTest::hasOpenMemory);
        assertThat(memory.open).isEmpty();
    }

    @Test
    void givesATensorThatIsListedTwiceMemoryOnce() {
        Tensor a = bytes("a", 64);
        try (Buffer buffer = Allocations.allocateAll(List.of(a, bytes("b", 32), a), memory)) {
            assertThat(buffer.size()).isEqualTo(96);
            assertThat(isAt(a, buffer, 0)).isTrue();
        }
    }

    @Test
    void returnsAnEmptyBufferWhereThereIsNothingToTake() {
        try (Buffer buffer = Allocations.allocateAll(List.of(), memory)) {
            assertThat(buffer.size()).isZero();
            assertThat(buffer.isClosed()).isFalse();
        }
        assertThat(memory.open).isEmpty();
    }

    @Test
    void placesEmptyTensorsThoughTheyTakeNothing() {
        List<Tensor> tensors = List.of(bytes("a", 0), bytes("b", 0));
        try (Buffer buffer = Allocations.allocateAll(tensors, memory)) {
            assertThat(buffer.size()).isZero();
            assertThat(tensors).allMatch(tensor -> isAt(tensor, buffer, 0));
        }
    }

    @Test
    void placesAnEmptyTensorAfterAFullBuffer() {
        Tensor empty = bytes("empty", 0);
        try (Buffer buffer = Allocations.allocateAll(List.of(bytes("a", 128), empty), memory)) {
            assertThat(isAt(empty, buffer, 128)).isTrue();
        }
    }

    @Test
    void givesATensorWhoseMemoryWasClosedOtherMemory() {
        Tensor left = bytes("left", 8);
        Buffer closed = memory.allocate(32);
        closed.place(left, 0);
        closed.close();
        Tensor view = view(left, "view", 4, 4);
        try (Buffer buffer = Allocations.allocateAll(List.of(bytes("a", 8), left, view), memory)) {
            assertThat(buffer.size()).isEqualTo(64);
            assertThat(isAt(left, buffer, 32)).isTrue();
            assertThat(isAt(view, buffer, 36)).isTrue();
        }
    }

    @Test
    void takesAllTensorsOfABuilder() {
        GraphBuilder builder = new GraphBuilder();
        builder.tensor(ElementType.F32, 4, 2);
        builder.tensor(ElementType.I8, 5);
        assertThat(Allocations.sizeOf(builder, memory)).isEqualTo(64);
        try (Buffer buffer = Allocations.allocateAll(builder, memory)) {
            assertThat(buffer.size()).isEqualTo(64);
            assertThat(builder.tensors()).allMatch(Tensor::isPlaced);
        }
    }

    @Test
    void measuresWithoutTaking() {
        List<Tensor> tensors = List.of(bytes("a", 100), bytes("b", 100), bytes("c", 0), bytes("large", 1000));
        assertThat(Allocations.sizeOf(tensors, memory)).isEqualTo(128 + 128 + 1024);
        assertThat(memory.requests).isEmpty();
        assertThat(tensors).noneMatch(Tensor::isPlaced);
    }

    @Test
    void refusesToMeasureMoreThanCanBeCounted() {
        List<Tensor> tensors = List.of(bytes("a", Long.MAX_VALUE - 63), bytes("b", Long.MAX_VALUE - 63));
        assertThatThrownBy(() -> Allocations.sizeOf(tensors, FakeMemory.aligned(64)))
                .isInstanceOf(AllocationException.class);
    }

    @Test
    void splitsWhereOneBufferWouldBeLargerThanCanBeCounted() {
        MeasuringBufferType endless = MeasuringBufferType.of("endless", 1).withCapacity(Long.MAX_VALUE);
        List<Tensor> tensors = List.of(bytes("a", Long.MAX_VALUE), bytes("b", 1));
        assertThatThrownBy(() -> Allocations.allocateAll(tensors, endless))
                .isInstanceOfSatisfying(AllocationException.class, e -> {
                    assertThat(e.requestedBytes()).isEqualTo(1);
                    assertThat(e).hasMessageContaining("'b'").hasMessageNotContaining("'a'");
                });
        assertThat(endless.openBuffers()).isZero();
        assertThat(tensors).noneMatch(AllocationsTest::hasOpenMemory);
    }

    @Test
    void takesBackEverythingWhereAnyBufferIsRefused() {
        int buffers = 12;
        for (int refused = 0; refused < buffers; refused++) {
            FakeMemory failing = new FakeMemory("failing", ALIGNMENT, 128);
            failing.refusedRequest = refused;
            List<Tensor> tensors = tensorsForBuffers(buffers);
            assertThatThrownBy(() -> Allocations.allocateAll(tensors, failing))
                    .as("refused request %d", refused)
                    .isInstanceOf(AllocationException.class);
            assertThat(failing.requests).as("refused request %d", refused).hasSize(refused + 1);
            assertThat(failing.open).as("refused request %d", refused).isEmpty();
            assertThat(tensors).as("refused request %d", refused).noneMatch(AllocationsTest::hasOpenMemory);

            failing.refusedRequest = -1;
            try (Buffer buffer = Allocations.allocateAll(tensors, failing)) {
                assertThat(buffer.size()).isEqualTo(128L * buffers);
                assertThat(tensors).as("after refused request %d", refused).allMatch(AllocationsTest::hasOpenMemory);
            }
        }
    }

    @Test
    void takesBackEverythingWhereAnyTensorIsRefused() {
        for (Tensor refused : tensorsForBuffers(3)) {
            FakeMemory failing = new FakeMemory("failing", ALIGNMENT, 128);
            failing.refusedTensor = refused.name();
            List<Tensor> tensors = tensorsForBuffers(3);
            assertThatThrownBy(() -> Allocations.allocateAll(tensors, failing))
                    .as("refused %s", refused)
                    .isInstanceOf(AllocationException.class);
            assertThat(failing.open).as("refused %s", refused).isEmpty();
            assertThat(tensors).as("refused %s", refused).noneMatch(AllocationsTest::hasOpenMemory);
        }
    }

    @Test
    void leavesTensorsThatWerePlacedBeforeWhereTheyWereAfterAFailure() {
        Tensor placed = bytes("placed", 8);
        Buffer before = FakeMemory.aligned(32).allocate(64);
        before.place(placed, 32);
        memory.refusedRequest = 1;
        List<Tensor> tensors = List.of(bytes("a", 128), placed, bytes("b", 128));
        assertThatThrownBy(() -> Allocations.allocateAll(tensors, memory)).isInstanceOf(AllocationException.class);
        assertThat(isAt(placed, before, 32)).isTrue();
        assertThat(before.isClosed()).isFalse();
    }

    @Test
    void reportsTheRefusalAndNotWhatGoesWrongWhileTakingBack() {
        memory.refusedRequest = 2;
        memory.failsOnRelease = true;
        assertThatThrownBy(() -> Allocations.allocateAll(tensorsForBuffers(3), memory))
                .isInstanceOf(AllocationException.class)
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        assertThat(memory.open).isEmpty();
    }

    @Test
    void refusesBuffersThatDoNotBeginAlignedAndTakesNothing() {
        memory.misalignment = 8;
        Tensor a = bytes("a", 32);
        assertThatThrownBy(() -> Allocations.allocateAll(List.of(a), memory)).isInstanceOf(AllocationException.class);
        assertThat(a.isPlaced()).isFalse();
        assertThat(memory.open).isEmpty();
    }

    @Test
    void splitsRandomTensorsAsAnIndependentCountDoes() {
        for (long seed = 0; seed < 200; seed++) {
            checkAgainstCount(seed);
        }
    }

    /** Counts in units of the alignment, and cuts one longest prefix that fits after the other. */
    private static void checkAgainstCount(long seed) {
        Random random = new Random(seed);
        int unit = 1 << random.nextInt(7);
        int mostUnits = 1 + random.nextInt(12);
        // Not always a multiple of the alignment: the last part of a unit is of no use then.
        long most = (long) mostUnits * unit + random.nextInt(unit);
        FakeMemory memory = new FakeMemory("fake", unit, most);
        memory.givesLarger = true;
        List<Tensor> tensors = new ArrayList<>();
        List<Integer> units = new ArrayList<>();
        Buffer before = FakeMemory.aligned(unit).allocate(0);
        for (int i = 0; i < 30; i++) {
            int needed = random.nextInt(mostUnits + 3);
            Tensor tensor = bytes("t" + i, needed == 0 ? 0 : (long) needed * unit - random.nextInt(unit));
            switch (random.nextInt(5)) {
                case 0 -> {
                    tensor = bytes("p" + i, 0);
                    before.place(tensor, 0);
                    units.add(0);
                }
                case 1 -> {
                    tensor = tensors.isEmpty() ? bytes("e" + i, 0) : view(tensors.getLast(), "v" + i, 0, 0);
                    units.add(0);
                }
                default -> units.add(needed);
            }
            tensors.add(tensor);
        }

        List<Long> expected = new ArrayList<>();
        long sum = 0;
        for (int i = 0; i < units.size(); ) {
            long taken = 0;
            while (i < units.size() && (taken == 0 || taken + units.get(i) <= mostUnits)) {
                taken += units.get(i++);
            }
            expected.add(taken * unit);
            sum += taken * unit;
        }

        assertThat(Allocations.sizeOf(tensors, memory)).as("seed %d", seed).isEqualTo(sum);
        Buffer buffer = Allocations.allocateAll(tensors, memory);
        assertThat(memory.requests).as("seed %d", seed).isEqualTo(expected);
        assertThat(buffer.size()).as("seed %d", seed).isEqualTo(sum);
        assertThat(tensors).as("seed %d", seed).allMatch(Tensor::isPlaced);
        checkApart(seed, tensors);
        buffer.close();
        assertThat(memory.open).as("seed %d", seed).isEmpty();
    }

    private static void checkApart(long seed, List<Tensor> tensors) {
        for (Tensor a : tensors) {
            for (Tensor b : tensors) {
                if (a.serial() < b.serial() && Buffer.of(a).is(Buffer.of(b))) {
                    boolean apart = a.storageOffset() + a.byteSize() <= b.storageOffset()
                            || b.storageOffset() + b.byteSize() <= a.storageOffset();
                    assertThat(apart).as("seed %d: %s and %s", seed, a, b).isTrue();
                }
            }
        }
    }

    private static boolean hasOpenMemory(Tensor tensor) {
        return tensor.isPlaced() && !Buffer.of(tensor).isClosed();
    }

    /** Tensors, a view among them, that fill {@code buffers} buffers of 128 bytes. */
    private static List<Tensor> tensorsForBuffers(int buffers) {
        List<Tensor> tensors = new ArrayList<>();
        for (int i = 0; i < buffers; i++) {
            tensors.add(bytes("a" + i, 64));
            tensors.add(view(tensors.getLast(), "v" + i, 8, 8));
            tensors.add(bytes("b" + i, 60));
        }
        return tensors;
    }

    private static final class Elsewhere extends Storage {

        void hold(Tensor tensor) {
            assign(tensor, 0);
        }

        @Override
        public String name() {
            return "elsewhere";
        }

        @Override
        public long size() {
            return 64;
        }

        @Override
        public boolean isClosed() {
            return false;
        }
    }
}
