package dev.stowage.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class IntListTest {

    private final IntList list = new IntList(0);

    @Test
    void growsToHoldWhateverIsAdded() {
        IntStream.range(0, 1000).forEach(i -> list.add(i * i));

        assertThat(list.size()).isEqualTo(1000);
        assertThat(list.get(999)).isEqualTo(999 * 999);
        assertThat(list.last()).isEqualTo(999 * 999);
        assertThat(list.toArray())
                .isEqualTo(IntStream.range(0, 1000).map(i -> i * i).toArray());
    }

    @Test
    void startsAgainWhenCleared() {
        list.add(7);
        list.clear();
        list.add(8);

        assertThat(list.toArray()).containsExactly(8);
    }

    @Test
    void givesAnArrayThatIsNotItsOwn() {
        list.add(7);
        list.toArray()[0] = 8;

        assertThat(list.get(0)).isEqualTo(7);
    }
}
