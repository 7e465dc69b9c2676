package dev.stowage.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.stowage.error.InvalidTensorException;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShapeTest {

    @Test
    void dimensionsThatAreNotGivenAreOne() {
        assertThat(Shape.of(5)).isEqualTo(new Shape(5, 1, 1, 1));
        assertThat(Shape.of(5, 6)).isEqualTo(new Shape(5, 6, 1, 1));
        assertThat(Shape.of(5, 6, 7)).isEqualTo(new Shape(5, 6, 7, 1));
        assertThat(Shape.of(5, 6, 7, 8)).isEqualTo(new Shape(5, 6, 7, 8));
    }

    @Test
    void hasOneToFourDimensions() {
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(Shape::of)
                .withMessageContaining("not 0");
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> Shape.of(1, 2, 3, 4, 5))
                .withMessageContainingAll("not 5", "[1, 2, 3, 4, 5]");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void refusesANegativeDimension(int dimension) {
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> new Shape(2, 2, 2, 2).with(dimension, -3))
                .withMessageContainingAll("negative", "-3");
    }

    static Stream<Arguments> shapesWithTooManyElements() {
        long half = 1L << 62;
        return Stream.of(
                arguments(half, 2, 1, 1),
                arguments(half, 1, 2, 1),
                arguments(half, 1, 1, 2),
                arguments(1, half, 2, 1),
                arguments(1, half, 1, 2),
                arguments(1, 1, half, 2),
                arguments(1L << 32, 1L << 31, 1, 1),
                arguments(1L << 16, 1L << 16, 1L << 16, 1L << 15),
                arguments(1L << 32, 1L << 32, 1L << 32, 1L << 32),
                arguments(Long.MAX_VALUE, Long.MAX_VALUE, 1, 1),
                arguments(3, 1, 1, Long.MAX_VALUE / 2));
    }

    @ParameterizedTest
    @MethodSource("shapesWithTooManyElements")
    void refusesMoreElementsThanALongCanCount(long d0, long d1, long d2, long d3) {
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> new Shape(d0, d1, d2, d3))
                .withMessageContainingAll("[" + d0 + ", " + d1 + ", " + d2 + ", " + d3 + "]", "elements");
    }

    @Test
    void countsAsManyElementsAsALongCan() {
        assertThat(Shape.of(Long.MAX_VALUE).elements()).isEqualTo(Long.MAX_VALUE);
        assertThat(Shape.of(1, 1, 1, Long.MAX_VALUE).elements()).isEqualTo(Long.MAX_VALUE);
        assertThat(Shape.of(1L << 31, 1L << 31).elements()).isEqualTo(1L << 62);
    }

    @Test
    void elementsAndRowsAreProducts() {
        Shape shape = Shape.of(2, 3, 5, 7);

        assertThat(shape.elements()).isEqualTo(2 * 3 * 5 * 7);
        assertThat(shape.rows()).isEqualTo(3 * 5 * 7);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void isEmptyWhereADimensionIsZero(int dimension) {
        Shape shape = Shape.of(2, 3, 5, 7).with(dimension, 0);

        assertThat(shape.isEmpty()).isTrue();
        assertThat(shape.elements()).isZero();
        assertThat(shape.isScalar()).isFalse();
    }

    @Test
    void anEmptyShapeMayHaveOneHugeDimension() {
        assertThat(Shape.of(Long.MAX_VALUE, 0).elements()).isZero();
        assertThat(Shape.of(0, Long.MAX_VALUE).rows()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void refusesMoreRowsThanALongCanCountEvenWhereTheyAreEmpty() {
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> new Shape(0, 1L << 62, 2, 1))
                .withMessageContaining(Long.toString(1L << 62));
    }

    @Test
    void knowsItsDimensionsByNumber() {
        Shape shape = Shape.of(2, 3, 5, 7);

        assertThat(LongStream.range(0, Shape.RANK).map(i -> shape.dim((int) i))).containsExactly(2L, 3L, 5L, 7L);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 4})
    void refusesADimensionThatIsNotThere(int dimension) {
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> Shape.SCALAR.dim(dimension))
                .withMessageContaining(Integer.toString(dimension));
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> Shape.SCALAR.with(dimension, 1))
                .withMessageContaining(Integer.toString(dimension));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void replacesOneDimension(int dimension) {
        Shape shape = Shape.of(2, 3, 5, 7).with(dimension, 11);

        for (int i = 0; i < Shape.RANK; i++) {
            assertThat(shape.dim(i))
                    .isEqualTo(i == dimension ? 11 : Shape.of(2, 3, 5, 7).dim(i));
        }
    }

    @Test
    void theRankIsThatOfTheLastDimensionUsed() {
        assertThat(Shape.SCALAR.rank()).isEqualTo(1);
        assertThat(Shape.of(4).rank()).isEqualTo(1);
        assertThat(Shape.of(4, 1, 3).rank()).isEqualTo(3);
        assertThat(Shape.of(1, 1, 1, 2).rank()).isEqualTo(4);
        assertThat(Shape.of(4, 0).rank()).isEqualTo(2);
    }

    @Test
    void scalarsVectorsAndMatricesAreNested() {
        assertThat(Shape.SCALAR)
                .matches(Shape::isScalar)
                .matches(Shape::isVector)
                .matches(Shape::isMatrix);
        assertThat(Shape.of(3))
                .matches(s -> !s.isScalar())
                .matches(Shape::isVector)
                .matches(Shape::isMatrix);
        assertThat(Shape.of(1, 3)).matches(s -> !s.isScalar() && !s.isVector()).matches(Shape::isMatrix);
        assertThat(Shape.of(1, 1, 3)).matches(s -> !s.isScalar() && !s.isVector() && !s.isMatrix());
        assertThat(Shape.of(1, 1, 1, 3)).matches(s -> !s.isScalar() && !s.isVector() && !s.isMatrix());
    }

    /** Whether {@code larger} is reached by adding {@code step} to nothing again and again. */
    private static boolean isReached(long step, long larger) {
        long reached = 0;
        while (reached < larger) {
            reached += step;
        }
        return reached == larger;
    }

    @Test
    void repeatsIntoWhatIsAWholeNumberOfCopiesInEveryDimension() {
        Random random = new Random(42);
        int repeated = 0;
        for (int i = 0; i < 5000; i++) {
            Shape small = Shape.of(random.longs(4, 1, 4).toArray());
            Shape large = Shape.of(random.longs(4, 0, 9).toArray());
            boolean expected = true;
            for (int d = 0; d < Shape.RANK; d++) {
                expected &= isReached(small.dim(d), large.dim(d));
            }

            assertThat(small.repeatsInto(large)).as("%s into %s", small, large).isEqualTo(expected);
            repeated += expected ? 1 : 0;
        }
        assertThat(repeated).isBetween(100, 4900);
    }

    @Test
    void anEmptyShapeRepeatsIntoEmptyShapesOnly() {
        assertThat(Shape.of(0, 3).repeatsInto(Shape.of(0, 6))).isTrue();
        assertThat(Shape.of(0, 3).repeatsInto(Shape.of(3, 3))).isFalse();
    }

    @Test
    void isWrittenWithTheDimensionsThatAreUsed() {
        assertThat(Shape.SCALAR).hasToString("[1]");
        assertThat(Shape.of(4096, 512)).hasToString("[4096, 512]");
        assertThat(Shape.of(2, 1, 3)).hasToString("[2, 1, 3]");
        assertThat(Shape.of(1, 1, 1, 0)).hasToString("[1, 1, 1, 0]");
    }
}
