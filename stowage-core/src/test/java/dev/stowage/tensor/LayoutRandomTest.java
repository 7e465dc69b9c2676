package dev.stowage.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** What a layout says about itself, compared with the addresses of all its blocks, one by one. */
class LayoutRandomTest {

    private static final int SEEDS = 4000;
    private static final ElementType[] TYPES = {
        ElementType.F32, ElementType.F16, ElementType.I8, ElementType.Q8_0, ElementType.Q4_0
    };

    /** A layout without gaps, most of the time with a few strides changed or exchanged. */
    private static Layout layout(long seed) {
        Random random = new Random(seed);
        ElementType type = TYPES[random.nextInt(TYPES.length)];
        long[] dimensions =
                random.longs(Shape.RANK, 1, 5).map(d -> d == 4 ? 1 : d).toArray();
        dimensions[0] *= type.blockSize();
        Layout plain = Layout.contiguous(type, dimensions);
        long[] strides = {
            plain.strides().s0(),
            plain.strides().s1(),
            plain.strides().s2(),
            plain.strides().s3()
        };
        int changes = random.nextInt(3);
        for (int i = 0; i < changes; i++) {
            int changed = random.nextInt(Shape.RANK);
            // The first stride of blocks stays: what another one means is not defined by the addresses of blocks.
            if (changed > 0 || !type.isQuantized()) {
                strides[changed] = switch (random.nextInt(4)) {
                    case 0 -> strides[changed] * 2;
                    case 1 -> (long) random.nextInt(40) * type.bytesPerBlock();
                    case 2 -> strides[random.nextInt(Shape.RANK)];
                    default -> strides[changed] + type.bytesPerBlock();
                };
            }
        }
        return Layout.strided(type, plain.shape(), new Strides(strides[0], strides[1], strides[2], strides[3]));
    }

    /** The addresses of the blocks of a layout in the order of its elements. */
    private static List<Long> addresses(Layout layout) {
        List<Long> addresses = new ArrayList<>();
        Shape shape = layout.shape();
        for (long i3 = 0; i3 < shape.d3(); i3++) {
            for (long i2 = 0; i2 < shape.d2(); i2++) {
                for (long i1 = 0; i1 < shape.d1(); i1++) {
                    for (long block = 0; block < shape.d0() / layout.type().blockSize(); block++) {
                        addresses.add(address(layout, block, i1, i2, i3));
                    }
                }
            }
        }
        return addresses;
    }

    private static long address(Layout layout, long block, long i1, long i2, long i3) {
        Strides strides = layout.strides();
        return block * strides.s0() + i1 * strides.s1() + i2 * strides.s2() + i3 * strides.s3();
    }

    private static Set<Long> bytesUsed(Layout layout) {
        Set<Long> used = new HashSet<>();
        for (long address : addresses(layout)) {
            for (int i = 0; i < layout.type().bytesPerBlock(); i++) {
                used.add(address + i);
            }
        }
        return used;
    }

    /** Whether each block is right after the one before it in the order of elements. */
    private static boolean followEachOther(Layout layout, List<Long> addresses) {
        for (int i = 1; i < addresses.size(); i++) {
            if (addresses.get(i) != addresses.get(i - 1) + layout.type().bytesPerBlock()) {
                return false;
            }
        }
        return true;
    }

    private static boolean hasRowsWithoutGaps(Layout layout) {
        return followEachOther(
                layout,
                addresses(Layout.strided(
                        layout.type(), layout.shape().with(1, 1).with(2, 1).with(3, 1), layout.strides())));
    }

    /** Whether a walk over the dimensions from {@code dimension} up takes steps of equal length all along. */
    private static boolean takesEvenSteps(Layout layout, int dimension) {
        long[] extents = {1, 1, 1, 1};
        for (int i = dimension; i < Shape.RANK; i++) {
            extents[i] = layout.shape().dim(i);
        }
        long step = 0;
        for (long i3 = 0; i3 < extents[3]; i3++) {
            for (long i2 = 0; i2 < extents[2]; i2++) {
                for (long i1 = 0; i1 < extents[1]; i1++) {
                    if (address(layout, 0, i1, i2, i3)
                            != step * layout.strides().stride(dimension)) {
                        return false;
                    }
                    step++;
                }
            }
        }
        return true;
    }

    private static void assertSame(Predicate<Layout> said, Predicate<Layout> expected) {
        int times = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            Layout layout = layout(seed);
            boolean is = expected.test(layout);

            assertThat(said.test(layout))
                    .as("seed %d: %s/%s", seed, layout, layout.strides())
                    .isEqualTo(is);
            times += is ? 1 : 0;
        }
        assertThat(times).as("layouts of which it is true").isBetween(SEEDS / 20, SEEDS * 19 / 20);
    }

    @Test
    void isContiguousWhereBlocksFollowEachOther() {
        assertSame(Layout::isContiguous, layout -> followEachOther(layout, addresses(layout)));
    }

    @Test
    void isContiguousAboveZeroWhereItIsContiguous() {
        assertSame(layout -> layout.isContiguousAbove(0), Layout::isContiguous);
    }

    @Test
    void isContiguousAboveTheFirstWhereRowsAreEvenlySpaced() {
        assertSame(
                layout -> layout.isContiguousAbove(1),
                layout -> hasRowsWithoutGaps(layout) && takesEvenSteps(layout, 1));
    }

    @Test
    void isContiguousAboveTheSecondWherePlanesAreEvenlySpaced() {
        assertSame(
                layout -> layout.isContiguousAbove(2),
                layout -> hasRowsWithoutGaps(layout) && takesEvenSteps(layout, 2));
    }

    @Test
    void hasContiguousRowsWhereTheBlocksOfARowFollowEachOther() {
        assertSame(Layout::hasContiguousRows, LayoutRandomTest::hasRowsWithoutGaps);
    }

    @Test
    void isDenseWhereNoByteItSpansIsUnused() {
        assertSame(
                layout -> layout.isDense() || overlaps(layout),
                layout -> overlaps(layout) || bytesUsed(layout).size() == layout.byteSize());
    }

    /** Whether two blocks share a byte; how dense such a layout is cannot be derived from its size. */
    private static boolean overlaps(Layout layout) {
        return bytesUsed(layout).size()
                < addresses(layout).size() * layout.type().bytesPerBlock();
    }

    @Test
    void hasTheBytesUpToTheEndOfItsLastBlock() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Layout layout = layout(seed);
            long last = addresses(layout).stream()
                    .mapToLong(address -> address)
                    .max()
                    .orElseThrow();

            assertThat(layout.byteSize())
                    .as("seed %d: %s/%s", seed, layout, layout.strides())
                    .isEqualTo(last + layout.type().bytesPerBlock());
        }
    }
}
