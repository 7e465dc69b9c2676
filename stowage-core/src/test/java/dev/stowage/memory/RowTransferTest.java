package dev.stowage.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.AccessException;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RowTransferTest {

    private final Buffer buffer = HostBufferType.standard().allocate(256);
    private final BoundTensor tensor = BoundTensor.at(Tensor.leaf(Layout.contiguous(ElementType.I8, 100)), buffer, 64);

    @AfterEach
    void close() {
        buffer.close();
    }

    private byte[] bytes() {
        byte[] bytes = new byte[100];
        buffer.get(tensor, 0, MemorySegment.ofArray(bytes));
        return bytes;
    }

    @Test
    void writesRowsApartAndLeavesTheGapsAlone() {
        buffer.setRows(
                tensor,
                new RowRange(2, 3, 2, 10),
                MemorySegment.ofArray(new byte[] {1, 2, 3, 9, 4, 5, 6}),
                new RowRange(0, 3, 2, 4));

        byte[] expected = new byte[100];
        System.arraycopy(new byte[] {1, 2, 3}, 0, expected, 2, 3);
        System.arraycopy(new byte[] {4, 5, 6}, 0, expected, 12, 3);
        assertThat(bytes()).isEqualTo(expected);
    }

    @Test
    void readsBackWhatWasWritten() {
        for (long seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            int rows = 1 + random.nextInt(5);
            int rowBytes = 1 + random.nextInt(10);
            RowRange inTensor = new RowRange(random.nextInt(10), rowBytes, rows, rowBytes + random.nextInt(8));
            byte[] source = new byte[rows * rowBytes];
            random.nextBytes(source);
            byte[] target = new byte[source.length];

            buffer.setRows(tensor, inTensor, MemorySegment.ofArray(source), RowRange.dense(rowBytes, rows));
            buffer.getRows(tensor, inTensor, MemorySegment.ofArray(target), RowRange.dense(rowBytes, rows));

            assertThat(target).as("seed %d", seed).isEqualTo(source);
        }
    }

    @Test
    void refusesRowsThatReachOutOfTheTensorBeforeWritingAny() {
        assertThatExceptionOfType(AccessException.class)
                .isThrownBy(() -> buffer.setRows(
                        tensor,
                        new RowRange(0, 1, 2, 100),
                        MemorySegment.ofArray(new byte[] {1, 1}),
                        RowRange.dense(1, 2)))
                .withMessageContaining("byte 101");
        assertThat(bytes()).containsOnly(0);
    }

    @Test
    void refusesRowsThatReachOutOfTheSegment() {
        assertThatExceptionOfType(AccessException.class)
                .isThrownBy(() -> buffer.getRows(
                        tensor, RowRange.dense(4, 2), MemorySegment.ofArray(new byte[7]), RowRange.dense(4, 2)));
    }

    @Test
    void refusesRowsOfAnotherLength() {
        assertThatExceptionOfType(AccessException.class)
                .isThrownBy(() -> buffer.setRows(
                        tensor, RowRange.dense(4, 2), MemorySegment.ofArray(new byte[8]), RowRange.dense(2, 4)))
                .withMessageContaining("2 rows of 4 bytes on one side, 4 of 2 on the other");
    }

    @Test
    void refusesRowsThatOverlapOrCannotBeCounted() {
        assertThatExceptionOfType(AccessException.class).isThrownBy(() -> new RowRange(0, 4, 2, 3));
        assertThatExceptionOfType(AccessException.class).isThrownBy(() -> new RowRange(-1, 4, 2, 4));
        assertThatExceptionOfType(AccessException.class).isThrownBy(() -> new RowRange(0, 4, Long.MAX_VALUE, 4));
    }

    @Test
    void noRowsAreFine() {
        buffer.setRows(tensor, RowRange.dense(4, 0), MemorySegment.ofArray(new byte[0]), RowRange.dense(4, 0));

        assertThat(bytes()).containsOnly(0);
    }
}
