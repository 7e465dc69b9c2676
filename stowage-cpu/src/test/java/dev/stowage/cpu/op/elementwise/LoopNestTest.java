package dev.stowage.cpu.op.elementwise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Strides;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LoopNestTest {

    @Test
    void makesOneRowOfTensorsWithoutGaps() {
        StridedElements grid = grid(Layout.contiguous(ElementType.F32, 5, 6, 7, 8));

        LoopNest nest = LoopNest.of(grid, grid, grid);

        assertThat(nest.rows()).isEqualTo(1);
        assertThat(nest.rowLength()).isEqualTo(5 * 6 * 7 * 8);
    }

    @Test
    void keepsARepeatedRowInPlace() {
        StridedElements grid = grid(Layout.contiguous(ElementType.F32, 5, 6, 7));

        LoopNest nest = LoopNest.of(grid, grid, grid(Layout.contiguous(ElementType.F32, 5)));

        assertThat(nest.rows()).isEqualTo(6 * 7);
        assertThat(nest.bOffset(41)).isZero();
    }

    @Test
    void doesNotMoveASingleNumber() {
        StridedElements grid = grid(Layout.contiguous(ElementType.F32, 5, 6, 7));

        LoopNest nest = LoopNest.of(grid, grid, grid(Layout.contiguous(ElementType.F32, 1)));

        assertThat(nest.rows()).isEqualTo(1);
        assertThat(nest.bStep()).isZero();
    }

    @Test
    void pairsEveryElementWithItsOperands() {
        for (long seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            long[] own = new long[4];
            long[] all = new long[4];
            for (int i = 0; i < 4; i++) {
                own[i] = 1L + random.nextInt(3);
                all[i] = own[i] * (1 + random.nextInt(3));
            }
            StridedElements result = shuffled(random, all);
            StridedElements a = shuffled(random, all);
            StridedElements b = shuffled(random, own);

            assertThat(visited(LoopNest.of(result, a, b))).as("seed %d", seed).isEqualTo(expected(result, a, b));
        }
    }

    private record Operands(long a, long b) {}

    private static Map<Long, Operands> visited(LoopNest nest) {
        Map<Long, Operands> visited = new HashMap<>();
        for (long row = 0; row < nest.rows(); row++) {
            for (long i = 0; i < nest.rowLength(); i++) {
                visited.put(
                        nest.resultOffset(row) + i * nest.resultStep(),
                        new Operands(nest.aOffset(row) + i * nest.aStep(), nest.bOffset(row) + i * nest.bStep()));
            }
        }
        return visited;
    }

    private static Map<Long, Operands> expected(StridedElements result, StridedElements a, StridedElements b) {
        Map<Long, Operands> expected = new HashMap<>();
        Shape shape = result.shape();
        for (long n = 0; n < shape.elements(); n++) {
            long[] index = {
                n % shape.d0(),
                n / shape.d0() % shape.d1(),
                n / (shape.d0() * shape.d1()) % shape.d2(),
                n / (shape.d0() * shape.d1() * shape.d2())
            };
            expected.put(offset(result, index), new Operands(offset(a, index), offset(b, index)));
        }
        return expected;
    }

    private static long offset(StridedElements grid, long[] index) {
        long offset = 0;
        for (int i = 0; i < index.length; i++) {
            offset += index[i] % grid.shape().dim(i) * grid.strides().stride(i);
        }
        return offset;
    }

    /** A grid whose dimensions are stored in any order, with gaps here and there. */
    private static StridedElements shuffled(Random random, long[] dimensions) {
        long[] strides = new long[4];
        boolean[] done = new boolean[4];
        long step = Float.BYTES;
        for (int placed = 0; placed < 4; placed++) {
            int i = random.nextInt(3) > 0 ? first(done) : random.nextInt(4);
            while (done[i]) {
                i = (i + 1) % 4;
            }
            done[i] = true;
            strides[i] = step;
            step *= dimensions[i] + (random.nextInt(3) == 0 ? 1 : 0);
        }
        return grid(Layout.strided(
                ElementType.F32, Shape.of(dimensions), new Strides(strides[0], strides[1], strides[2], strides[3])));
    }

    private static int first(boolean[] done) {
        int i = 0;
        while (done[i]) {
            i++;
        }
        return i;
    }

    private static StridedElements grid(Layout layout) {
        return new StridedElements(layout.type(), 0, layout.shape(), layout.strides());
    }
}
