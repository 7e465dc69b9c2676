package dev.stowage.reference.quant.search;

import dev.stowage.error.MalformedDataException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The points from which the iq types choose. A few elements together are one point of a grid, each coordinate one of a
 * few levels; of all points of the grid a type allows only those listed in its codebook, and a block holds the number
 * of the point instead of its coordinates. A codebook is part of what a file of such a type means.
 *
 * <p>The resource of a codebook, {@code iq2_xs.points} and so on, has one bit per point of the whole grid, lowest bit
 * first: set if the point is in the book. A point's place in that order is its <em>code</em>, its coordinates read as
 * digits, the first coordinate the least significant one; points are numbered in the same order.
 *
 * <pre>
 *   book      coordinates   levels   points   of
 *   iq1            8           3      2048    6561
 *   iq2_xxs        8           3       256    6561
 *   iq2_xs         8           3       512    6561
 *   iq2_s          8           3      1024    6561
 *   iq3_xxs        4           8       256    4096
 *   iq3_s          4           8       512    4096
 * </pre>
 */
public final class Codebook {

    public static final Codebook IQ1 = new Codebook("iq1", 8, 3, 3);
    public static final Codebook IQ2_XXS = new Codebook("iq2_xxs", 8, 3, 2);
    public static final Codebook IQ2_XS = new Codebook("iq2_xs", 8, 3, 2);
    public static final Codebook IQ2_S = new Codebook("iq2_s", 8, 3, 1);
    public static final Codebook IQ3_XXS = new Codebook("iq3_xxs", 4, 8, 2);
    public static final Codebook IQ3_S = new Codebook("iq3_s", 4, 8, 3);

    private static final int ABSENT = -1;

    private final int dimension;
    private final int levels;
    private final int shells;

    /** The coordinates of all points, one point after the other. */
    private final byte[] coordinates;

    /** The number of the point with that code, or {@link #ABSENT}. */
    private final int[] numbers;

    /** For the codes asked for so far, the numbers of the points around. */
    private final AtomicReferenceArray<int[]> neighbours;

    /**
     * @param name the name of the resource
     * @param dimension how many coordinates a point has
     * @param levels how many levels a coordinate has
     * @param shells how many different distances from a place count as near it
     */
    private Codebook(String name, int dimension, int levels, int shells) {
        this.dimension = dimension;
        this.levels = levels;
        this.shells = shells;
        int codes = Math.powExact(levels, dimension);
        BitSet points = load(name + ".points");
        this.coordinates = new byte[points.cardinality() * dimension];
        this.numbers = new int[codes];
        this.neighbours = new AtomicReferenceArray<>(codes);
        Arrays.fill(numbers, ABSENT);
        int number = 0;
        for (int code = points.nextSetBit(0); code >= 0; code = points.nextSetBit(code + 1)) {
            numbers[code] = number;
            for (int i = 0; i < dimension; i++) {
                coordinates[number * dimension + i] = (byte) coordinate(code, i);
            }
            number++;
        }
    }

    private static BitSet load(String resource) {
        try (InputStream bits = Codebook.class.getResourceAsStream(resource)) {
            if (bits == null) {
                throw new MalformedDataException("the codebook " + resource + " is missing beside its class");
            }
            return BitSet.valueOf(bits.readAllBytes());
        } catch (IOException e) {
            throw new MalformedDataException("the codebook " + resource + " cannot be read", e);
        }
    }

    /** How many coordinates a point has, which is how many elements it stands for. */
    public int dimension() {
        return dimension;
    }

    /** How many levels a coordinate has. */
    public int levels() {
        return levels;
    }

    /** How many points there are. */
    int size() {
        return coordinates.length / dimension;
    }

    /** The level, from zero, of one coordinate of a point. */
    public int level(int number, int coordinate) {
        return coordinates[number * dimension + coordinate];
    }

    /** The code of the place whose coordinates start at {@code at}. */
    public int code(int[] place, int at) {
        int code = 0;
        for (int i = dimension - 1; i >= 0; i--) {
            code = code * levels + place[at + i];
        }
        return code;
    }

    private int coordinate(int code, int i) {
        return code / Math.powExact(levels, i) % levels;
    }

    /** Whether there is a point with that code. */
    boolean contains(int code) {
        return numbers[code] != ABSENT;
    }

    /** The number of the point with that code, which must be one that the book contains. */
    public int number(int code) {
        return numbers[code];
    }

    /** The numbers of the points near the place with that code: nearest first, then by number. Not to be changed. */
    int[] near(int code) {
        int[] known = neighbours.get(code);
        if (known == null) {
            known = findNear(code);
            neighbours.set(code, known);
        }
        return known;
    }

    private int[] findNear(int code) {
        int[] distances = new int[size()];
        for (int number = 0; number < distances.length; number++) {
            for (int i = 0; i < dimension; i++) {
                int difference = level(number, i) - coordinate(code, i);
                distances[number] += difference * difference;
            }
        }
        int[] near = new int[size()];
        int count = 0;
        int farthest = dimension * (levels - 1) * (levels - 1);
        for (int distance = 0, shell = 0; distance <= farthest && shell < shells; distance++) {
            int before = count;
            for (int number = 0; number < distances.length; number++) {
                if (distances[number] == distance) {
                    near[count++] = number;
                }
            }
            shell += count > before ? 1 : 0;
        }
        return Arrays.copyOf(near, count);
    }
}
