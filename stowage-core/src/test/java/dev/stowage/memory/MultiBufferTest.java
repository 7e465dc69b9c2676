package dev.stowage.memory;

import static dev.stowage.memory.FakeMemory.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.tensor.ForcedPlacement;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

class MultiBufferTest {

    private final FakeMemory memory = FakeMemory.aligned(64);
    private final FakeMemory.FakeBuffer first = memory.allocate(100);
    private final FakeMemory.FakeBuffer second = memory.allocate(0);
    private final FakeMemory.FakeBuffer third = memory.allocate(28);
    private final MultiBuffer whole = MultiBuffer.of(List.of(first, second, third));

    @Test
    void isAsLargeAsItsPartsTogether() {
        assertThat(whole.size()).isEqualTo(128);
        assertThat(whole.type()).isSameAs(memory);
        assertThat(whole.parts()).containsExactly(first, second, third);
    }

    @Test
    void clearsEveryPart() {
        whole.clear((byte) 5);
        assertThat(first.memory).containsOnly(5);
        assertThat(third.memory).containsOnly(5);
    }

    @Test
    void resetsEveryPart() {
        whole.reset();
        assertThat(List.of(first, second, third)).allMatch(part -> part.resets == 1);
    }

    @Test
    void setsTheUsageOfEveryPart() {
        whole.setUsage(BufferUsage.WEIGHTS);
        assertThat(whole.usage()).isEqualTo(BufferUsage.WEIGHTS);
        assertThat(whole.parts()).allMatch(part -> part.usage() == BufferUsage.WEIGHTS);
    }

    @Test
    void refusesToPlaceATensor() {
        Tensor tensor = bytes("a", 8);
        assertThatThrownBy(() -> whole.place(tensor, 0))
                .isInstanceOf(AccessException.class)
                .hasMessageContainingAll("3 buffers", "parts()");
        assertThat(tensor.isPlaced()).isFalse();
    }

    @Test
    void hasNoAddressOfItsOwn() {
        assertThatThrownBy(whole::address).isInstanceOf(AccessException.class);
        assertThatThrownBy(() -> new LinearAllocator(whole)).isInstanceOf(AccessException.class);
    }

    @Test
    void refusesToReachBytesOfATensorThatWasForcedIntoIt() {
        Tensor tensor = bytes("a", 8);
        ForcedPlacement.place(tensor, whole, 0);
        MemorySegment segment = MemorySegment.ofArray(new byte[8]);
        assertThatThrownBy(() -> whole.set(tensor, 0, segment)).isInstanceOf(AccessException.class);
        assertThatThrownBy(() -> whole.get(tensor, 0, segment)).isInstanceOf(AccessException.class);
    }

    @Test
    void closesEveryPart() {
        whole.close();
        assertThat(whole.parts()).allMatch(Buffer::isClosed);
        assertThat(memory.open).isEmpty();
    }

    @Test
    void closesEveryPartEvenIfAllFailAndReportsAllFailures() {
        memory.failsOnRelease = true;
        assertThatThrownBy(whole::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("cannot release 100 bytes")
                .satisfies(e -> assertThat(e.getSuppressed())
                        .extracting(Throwable::getMessage)
                        .containsExactly("cannot release 0 bytes", "cannot release 28 bytes"));
        assertThat(memory.open).isEmpty();
        assertThat(whole.isClosed()).isTrue();
    }

    @Test
    void changesNothingWhereAPartWasClosedByItself() {
        third.close();
        assertThatThrownBy(() -> whole.clear((byte) 5)).isInstanceOf(ClosedException.class);
        assertThatThrownBy(whole::reset).isInstanceOf(ClosedException.class);
        assertThatThrownBy(() -> whole.setUsage(BufferUsage.WEIGHTS)).isInstanceOf(ClosedException.class);
        assertThat(first.memory).containsOnly(0);
        assertThat(first.resets).isZero();
        assertThat(first.usage()).isEqualTo(BufferUsage.ANY);
        assertThat(whole.usage()).isEqualTo(BufferUsage.ANY);
    }

    @Test
    void refusesToBeClearedWhereAPartIsReadOnly() {
        Buffer readOnly = HostBuffer.over(MemorySegment.ofArray(new byte[8]).asReadOnly(), 1);
        MultiBuffer mixed = MultiBuffer.of(List.of(first, readOnly));
        assertThatThrownBy(() -> mixed.clear((byte) 1)).isInstanceOf(AccessException.class);
        assertThat(first.memory).containsOnly(0);
    }

    @Test
    void needsAtLeastOnePart() {
        assertThatThrownBy(() -> MultiBuffer.of(List.of())).isInstanceOf(AllocationException.class);
    }

    @Test
    void refusesMoreBytesThanCanBeCounted() {
        MeasuringBufferType endless = MeasuringBufferType.of("endless", 1);
        List<Buffer> parts = List.of(MeasuringBufferType.of("other", 1).allocate(Long.MAX_VALUE), endless.allocate(1));
        assertThatThrownBy(() -> MultiBuffer.of(parts)).isInstanceOf(AllocationException.class);
    }
}
