package dev.stowage.testkit.op;

import dev.stowage.tensor.Shape;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.random.RandomGenerator;

/**
 * What numbers an input gets: all elements in the order of memory, the same ones for the same random source. Numbers
 * the type of the input does not have are rounded to it.
 */
@FunctionalInterface
public interface Fill {

    /** The elements of an input of that shape, the first dimension running fastest. */
    double[] values(Shape shape, RandomGenerator random);

    /** Normally distributed around 0. */
    static Fill gaussian(double deviation) {
        return (shape, random) -> each(shape, () -> random.nextGaussian() * deviation);
    }

    /** Evenly distributed from {@code low} up to {@code high}. */
    static Fill uniform(double low, double high) {
        return (shape, random) -> each(shape, () -> low + (high - low) * random.nextDouble());
    }

    /** Whole numbers from 0 up to but not including {@code bound}, any of them as often as chance wants. */
    static Fill numbers(int bound) {
        return (shape, random) -> each(shape, () -> random.nextInt(bound));
    }

    /** Whole numbers from 0 up to but not including {@code bound}, none of them twice in a row. */
    static Fill distinct(int bound) {
        return (shape, random) -> eachRow(shape, row -> {
            int[] numbers = shuffled(bound, random);
            for (int i = 0; i < row.length; i++) {
                row[i] = numbers[i];
            }
        });
    }

    /** Numbers no two of which are alike within a row, so that their order is clear: shuffled steps of 0.25. */
    static Fill ranked() {
        return (shape, random) -> eachRow(shape, row -> {
            int[] numbers = shuffled(row.length, random);
            for (int i = 0; i < row.length; i++) {
                row[i] = (numbers[i] - row.length / 2) * 0.25;
            }
        });
    }

    /** What is added to scores: 0, now and then a small number, and minus infinity, but never first in a row. */
    static Fill mask() {
        return (shape, random) -> eachRow(shape, row -> {
            for (int i = 0; i < row.length; i++) {
                double hidden = i == 0 ? 0 : Double.NEGATIVE_INFINITY;
                row[i] = switch (random.nextInt(4)) {
                    case 0 -> hidden;
                    case 1 -> -random.nextDouble();
                    default -> 0;
                };
            }
        });
    }

    /** What is added to scores so that row {@code i} sees the first {@code past + i + 1} of them. */
    static Fill causal(int past) {
        return (shape, _) -> {
            double[] values = new double[Math.toIntExact(shape.elements())];
            for (int i = 0; i < values.length; i++) {
                long column = i % shape.d0();
                long row = i / shape.d0() % shape.d1();
                values[i] = column > past + row ? Double.NEGATIVE_INFINITY : 0;
            }
            return values;
        };
    }

    /** Lower triangular matrices that are easily solved: about 1 on the diagonal, small below, zero above. */
    static Fill triangular() {
        return (shape, random) -> {
            double[] values = new double[Math.toIntExact(shape.elements())];
            for (int i = 0; i < values.length; i++) {
                long column = i % shape.d0();
                long row = i / shape.d0() % shape.d1();
                double below = (random.nextDouble() - 0.5) / (double) shape.d0();
                values[i] = column == row ? 1 + random.nextDouble() : column < row ? below : 0;
            }
            return values;
        };
    }

    /** Hadamard matrices of unit rows: all elements of the same size, their signs such that rows are orthogonal. */
    static Fill hadamard() {
        return (shape, _) -> {
            double[] values = new double[Math.toIntExact(shape.elements())];
            for (int i = 0; i < values.length; i++) {
                long column = i % shape.d0();
                long row = i / shape.d0() % shape.d1();
                int sign = Long.bitCount(column & row) % 2 == 0 ? 1 : -1;
                values[i] = sign / Math.sqrt((double) shape.d0());
            }
            return values;
        };
    }

    /** These numbers over and over. */
    static Fill cycle(double... numbers) {
        double[] own = numbers.clone();
        return (shape, _) -> {
            double[] values = new double[Math.toIntExact(shape.elements())];
            Arrays.setAll(values, i -> own[i % own.length]);
            return values;
        };
    }

    /** Ordinary numbers with NaN, infinities, zeros of both signs and subnormal numbers among them. */
    static Fill special() {
        double[] special = {
            Double.NaN,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY,
            0.0,
            -0.0,
            Float.MIN_VALUE,
            -Float.MIN_VALUE,
            Float.MIN_NORMAL / 2
        };
        return (shape, random) -> {
            double[] values = each(shape, random::nextGaussian);
            for (int i = 0; i < values.length; i += 2) {
                values[i] = special[i / 2 % special.length];
            }
            return values;
        };
    }

    private static double[] each(Shape shape, DoubleSupplier next) {
        double[] values = new double[Math.toIntExact(shape.elements())];
        Arrays.setAll(values, _ -> next.getAsDouble());
        return values;
    }

    private static double[] eachRow(Shape shape, Consumer<double[]> filling) {
        double[] values = new double[Math.toIntExact(shape.elements())];
        double[] row = new double[Math.toIntExact(shape.d0())];
        for (int at = 0; at < values.length; at += row.length) {
            filling.accept(row);
            System.arraycopy(row, 0, values, at, row.length);
        }
        return values;
    }

    private static int[] shuffled(int count, RandomGenerator random) {
        int[] numbers = new int[count];
        Arrays.setAll(numbers, i -> i);
        for (int i = count - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int moved = numbers[i];
            numbers[i] = numbers[other];
            numbers[other] = moved;
        }
        return numbers;
    }
}
