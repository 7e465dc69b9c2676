package dev.stowage.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.ClosedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The arena under a buffer that work has used stays open until the buffer is closed. */
class ArenaPinTest {

    private static long pins() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("stowage-arena-pin"))
                .count();
    }

    private static void use(Buffer buffer) {
        BufferLeases leases = new BufferLeases();
        leases.add(buffer);
        leases.releaseAll();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anArenaCannotBeClosedBeforeABufferThatWorkHasUsed(boolean readOnly) {
        Arena arena = Arena.ofShared();
        MemorySegment segment = arena.allocate(64, 32);
        Buffer buffer = HostBuffer.over(readOnly ? segment.asReadOnly() : segment);
        use(buffer);

        for (int i = 0; i < 100; i++) {
            assertThatExceptionOfType(IllegalStateException.class).isThrownBy(arena::close);
        }
        assertThat(pins()).isEqualTo(1);

        buffer.close();
        assertThat(pins()).isZero();
        arena.close();
    }

    @Test
    void anArenaUnderWorkStaysUntilTheWorkEnds() {
        Arena arena = Arena.ofShared();
        Buffer buffer = HostBuffer.over(arena.allocate(64, 32));
        BufferLeases leases = new BufferLeases();
        leases.add(buffer);
        buffer.close();

        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(arena::close);

        leases.releaseAll();
        arena.close();
        assertThat(pins()).isZero();
    }

    @Test
    void buffersOverOneArenaShareOneThread() {
        Arena arena = Arena.ofShared();
        Buffer first = HostBuffer.over(arena.allocate(64, 32));
        Buffer second = HostBuffer.over(arena.allocate(64, 32));
        use(first);
        use(second);
        assertThat(pins()).isEqualTo(1);

        first.close();
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(arena::close);
        second.close();
        arena.close();
        assertThat(pins()).isZero();
    }

    @Test
    void transfersAloneLeaveTheArenaToItsOwner() {
        Arena arena = Arena.ofShared();
        Buffer buffer = HostBuffer.over(arena.allocate(64, 32));
        buffer.clear((byte) 1);

        arena.close();

        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> buffer.clear((byte) 2));
        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> use(buffer));
        assertThat(pins()).isZero();
    }

    @Test
    void memoryThatCannotBeFreedNeedsNoThread() {
        use(HostBuffer.over(Arena.global().allocate(64, 32)));
        use(HostBuffer.over(MemorySegment.ofArray(new long[8]), 8));
        use(HostBufferType.standard().allocate(64));
        try (Arena arena = Arena.ofShared();
                Arena confined = Arena.ofConfined()) {
            use(HostBuffer.over(arena.allocate(64, 32).asSlice(0, 0)));
            use(HostBuffer.over(confined.allocate(64, 32)));
        }
        assertThat(pins()).isZero();
    }

    @Test
    void memoryOfAThreadIsNotReachedByAddress() {
        try (Arena arena = Arena.ofConfined()) {
            assertThat(HostBuffer.over(arena.allocate(64, 32)).hasNativeSegment())
                    .isFalse();
        }
        try (Arena arena = Arena.ofShared()) {
            assertThat(HostBuffer.over(arena.allocate(64, 32)).hasNativeSegment())
                    .isTrue();
        }
    }

    @Test
    void aBufferOverAnotherHoldsALeaseOnItWhileWorkIsUnderWay() {
        Buffer owner = HostBufferType.standard().allocate(64);
        MemorySegment bytes = owner.segment();
        Buffer over = HostBuffer.over(bytes);
        BufferLeases leases = new BufferLeases();
        leases.add(over);

        owner.close();
        assertThat(bytes.scope().isAlive()).isTrue();

        leases.releaseAll();
        assertThat(bytes.scope().isAlive()).isFalse();
        assertThatExceptionOfType(ClosedException.class).isThrownBy(() -> use(over));
        over.close();
        assertThat(pins()).isZero();
    }

    @Test
    void aBufferWhoseMemoryIsInUseElsewhereClosesAndFreesItLater() {
        Buffer buffer = HostBufferType.standard().allocate(64);
        MemorySegment bytes = buffer.segment();
        Object user = new Object();
        var pin = ArenaPin.pin(bytes, user);

        assertThatCode(buffer::close).doesNotThrowAnyException();
        assertThat(bytes.scope().isAlive()).isTrue();
        pin.clean();
        HostBufferType.standard().allocate(8).close();

        assertThat(bytes.scope().isAlive()).isFalse();
    }
}
