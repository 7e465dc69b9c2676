package dev.stowage.bench.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TestDataTest {

    @Test
    void sameWordsGiveSameBytes() {
        try (TestData one = new TestData();
                TestData other = new TestData()) {
            assertThat(one.random(ElementType.Q4_0, 4096, 1, 3).mismatch(other.random(ElementType.Q4_0, 4096, 1, 3)))
                    .isEqualTo(-1);
        }
    }

    @Test
    void otherSaltGivesOtherBytes() {
        try (TestData data = new TestData()) {
            assertThat(data.random(ElementType.F32, 4096, 1, 1).mismatch(data.random(ElementType.F32, 4096, 1, 2)))
                    .isNotEqualTo(-1);
        }
    }

    @Test
    void aLongerRequestBeginsLikeAShorterOne() {
        try (TestData data = new TestData()) {
            MemorySegment shorter = data.random(ElementType.F16, 256, 1, 1);
            MemorySegment longer = data.random(ElementType.F16, 4L << 20, 1, 1);

            assertThat(longer.mismatch(shorter)).isEqualTo(shorter.byteSize());
        }
    }

    @Test
    void noTwoRowsOfAMatrixAreAlike() {
        int columns = 4096;
        int rows = 1024;
        try (TestData data = new TestData()) {
            MemorySegment bytes = data.random(ElementType.F32, (long) columns * rows, 1, 1);
            Set<Float> firsts = new HashSet<>();
            Set<Long> pairs = new HashSet<>();
            for (long row = 0; row < rows; row++) {
                firsts.add(bytes.getAtIndex(ValueLayout.JAVA_FLOAT, row * columns));
                pairs.add(bytes.getAtIndex(ValueLayout.JAVA_LONG, row * columns / 2));
            }

            assertThat(pairs).hasSize(rows);
            assertThat(firsts).hasSizeGreaterThan(rows / 2);
        }
    }

    @Test
    void tokensSeeWhatIsBeforeThemAndThemselves() {
        try (TestData data = new TestData()) {
            MemorySegment mask = data.causalMask(4, 2, 1);
            short hidden = Float.floatToFloat16(Float.NEGATIVE_INFINITY);

            assertThat(mask.toArray(ValueLayout.JAVA_SHORT))
                    .containsExactly((short) 0, (short) 0, hidden, hidden, (short) 0, (short) 0, (short) 0, hidden);
        }
    }
}
