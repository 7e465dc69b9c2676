package dev.stowage.packing;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Problems by seed, for tests that want many different ones. */
public final class RandomProblems {

    private RandomProblems() {}

    /** A few buffers in a short time, with everything that can make a problem hard to get right. */
    public static Problem tiny(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int count = 1 + random.nextInt(6);
        boolean aligned = random.nextInt(3) == 0;
        boolean fixed = random.nextInt(3) == 0;
        int coarseness = random.nextInt(4) == 0 ? 4 : 1;
        ProblemBuilder builder = Problem.builder();
        for (int buffer = 0; buffer < count; buffer++) {
            long from = random.nextInt(6);
            long to = from + 1 + random.nextInt(4);
            long size = (long) coarseness * random.nextInt(random.nextInt(8) == 0 ? 1 : 0, 7);
            long alignment = aligned ? 1 + random.nextInt(4) : 1;
            if (fixed && buffer == 0) {
                builder.addFixed("fixed", from, to, size, alignment, alignment * random.nextInt(4));
            } else {
                builder.addAligned("b" + buffer, from, to, size, alignment);
            }
        }
        return builder.build();
    }

    /** Some dozens to hundreds of buffers, a few of them fixed far enough apart, some aligned. */
    public static Problem mixed(long seed, int count) {
        SplittableRandom random = new SplittableRandom(seed);
        ProblemBuilder builder = Problem.builder();
        int fixed = random.nextInt(4);
        for (int buffer = 0; buffer < count; buffer++) {
            long from = random.nextInt(count);
            long to = from + 1 + random.nextInt(1 + count / 4);
            long size = random.nextInt(5000);
            long alignment = random.nextInt(3) == 0 ? 1L << random.nextInt(8) : 1;
            if (buffer < fixed) {
                builder.addFixed("fixed" + buffer, from, to, size, 1, buffer * 8000L + random.nextInt(1000));
            } else {
                builder.addAligned(from, to, size, alignment);
            }
        }
        return builder.build();
    }

    /** A rectangle of {@code width} moments and {@code height} bytes, cut into buffers without waste. */
    public static Problem tiling(long seed, int count, int width, int height) {
        SplittableRandom random = new SplittableRandom(seed);
        int[][] pieces = new int[count][];
        pieces[0] = new int[] {0, width, 0, height};
        int made = 1;
        while (made < count) {
            int[] piece = pieces[random.nextInt(made)];
            int axis = random.nextInt(2);
            int low = piece[2 * axis];
            int high = piece[2 * axis + 1];
            if (high - low > 1) {
                int cut = random.nextInt(low + 1, high);
                int[] other = piece.clone();
                piece[2 * axis + 1] = cut;
                other[2 * axis] = cut;
                pieces[made++] = other;
            }
        }
        ProblemBuilder builder = Problem.builder();
        for (int[] piece : pieces) {
            builder.add(piece[0], piece[1], piece[3] - piece[2]);
        }
        return builder.build();
    }

    /**
     * A rectangle cut without waste, where it can be into five pieces in the form of a pinwheel: no two of them have an edge in
     * common.
     */
    public static Problem pinwheels(long seed, int count, int width, int height) {
        SplittableRandom random = new SplittableRandom(seed);
        List<int[]> pieces = new ArrayList<>(List.of(new int[] {0, width, 0, height}));
        while (pieces.size() < count) {
            int[] piece = largestOfSome(pieces, random);
            int left = piece[0];
            int right = piece[1];
            int low = piece[2];
            int high = piece[3];
            if (right - left > 2 && high - low > 2 && pieces.size() + 4 <= count) {
                int x = random.nextInt(left + 1, right - 1);
                int x2 = random.nextInt(x + 1, right);
                int y = random.nextInt(low + 1, high - 1);
                int y2 = random.nextInt(y + 1, high);
                pieces.remove(piece);
                pieces.add(new int[] {x, x2, y, y2});
                pieces.add(new int[] {left, x2, low, y});
                pieces.add(new int[] {x2, right, low, y2});
                pieces.add(new int[] {x, right, y2, high});
                pieces.add(new int[] {left, x, y, high});
            } else if (high - low > 1) {
                int cut = random.nextInt(low + 1, high);
                pieces.remove(piece);
                pieces.add(new int[] {left, right, low, cut});
                pieces.add(new int[] {left, right, cut, high});
            }
        }
        ProblemBuilder builder = Problem.builder();
        pieces.forEach(piece -> builder.add(piece[0], piece[1], piece[3] - piece[2]));
        return builder.build();
    }

    private static int[] largestOfSome(List<int[]> pieces, SplittableRandom random) {
        return Stream.generate(() -> pieces.get(random.nextInt(pieces.size())))
                .limit(4)
                .max(Comparator.comparingLong(piece -> (long) (piece[1] - piece[0]) * (piece[3] - piece[2])))
                .orElseThrow();
    }

    /** A few buffers of all sizes, some aligned, which together have about as many bytes as a problem may have. */
    static Problem huge(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        ProblemBuilder builder = Problem.builder();
        long left = ProblemBuilder.MOST_BYTES;
        for (int i = 0; i < 12; i++) {
            long alignment = random.nextInt(3) == 0 ? 1L << random.nextInt(40) : 1;
            long size = (random.nextLong() >>> 2) >>> random.nextInt(62);
            long begin = random.nextInt(10);
            if (size + alignment <= left) {
                builder.addAligned(begin, begin + 1 + random.nextInt(5), size, alignment);
                left -= size + alignment;
            }
        }
        return builder.build();
    }
}
