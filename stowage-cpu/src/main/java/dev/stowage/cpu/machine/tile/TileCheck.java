package dev.stowage.cpu.machine.tile;

import dev.stowage.reference.quant.BlockFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Runs the narrowest and the widest kernel of a type once and compares them with plain loops over weights that the
 * reference has decoded. It costs less than a millisecond, and keeps a processor that does something else, or a virtual
 * machine that promises what it does not have, from computing nonsense.
 */
final class TileCheck {

    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    /** One sixteenth, as a half: its lower and upper byte. */
    private static final byte[] SCALE = {0x00, 0x2C};

    private static final double PRECISION = 1e-4;

    private final TileType type;
    private final int elements;
    private final float[] weights;
    private final MemorySegment rows;
    private final MemorySegment columns;

    private TileCheck(TileType type, Arena arena) {
        this.type = type;
        this.elements = type.span();
        int bytes = type.blockBytes();
        SplittableRandom random = new SplittableRandom(type.blockBytes());
        MemorySegment plain = MemorySegment.ofArray(new byte[bytes * TileCode.ROWS]);
        this.rows = arena.allocate(plain.byteSize());
        for (int i = 0; i < plain.byteSize(); i++) {
            int index = i % bytes;
            byte value = TileLayout.isHalf(type, index) ? SCALE[index % 2] : (byte) random.nextInt();
            plain.set(ValueLayout.JAVA_BYTE, i, value);
            rows.set(ValueLayout.JAVA_BYTE, TileLayout.position(type, index, i / bytes), (byte)
                    (value ^ TileLayout.inverted(type, index)));
        }
        this.weights = new float[elements * TileCode.ROWS];
        BlockFormat.of(type.elements()).dequantize(plain, 0, weights, 0, weights.length);
        this.columns = arena.allocate((long) elements * Panel.MOST_COLUMNS * Float.BYTES, Float.BYTES);
        for (int i = 0; i < elements * Panel.MOST_COLUMNS; i++) {
            columns.setAtIndex(FLOAT, i, (float) random.nextDouble(-1, 1));
        }
    }

    /** What is wrong with the kernels of a type, with both numbers; empty where nothing is. */
    static Optional<String> firstWrong(TileKernels kernels, TileType type) {
        try (Arena arena = Arena.ofConfined()) {
            TileCheck check = new TileCheck(type, arena);
            return check.firstWrong(kernels, arena, 1).or(() -> check.firstWrong(kernels, arena, Panel.MOST_COLUMNS));
        }
    }

    private Optional<String> firstWrong(TileKernels kernels, Arena arena, int count) {
        MemorySegment panel = arena.allocate(Panel.bytes(type, count, elements));
        MemorySegment result = arena.allocate((long) count * TileCode.ROWS * Float.BYTES);
        for (int column = 0; column < count; column++) {
            long from = columns.address() + (long) column * elements * Float.BYTES;
            kernels.rounding(type).round(from, elements, panel.address(), count, column);
        }
        kernels.tile(type, count)
                .multiply(rows.address(), panel.address(), result.address(), TileCode.ROWS * Float.BYTES, 1);
        for (int row = 0; row < TileCode.ROWS; row++) {
            int column = row % count;
            double expected = 0;
            double size = 0;
            for (int k = 0; k < elements; k++) {
                double product = weights[row * elements + k] * rounded(panel, count, column, k);
                expected += product;
                size += Math.abs(product);
            }
            float actual = result.getAtIndex(FLOAT, (long) column * TileCode.ROWS + row);
            // Written such that NaN is wrong.
            if (!(Math.abs(actual - expected) <= PRECISION * size)) {
                return Optional.of("a product of " + count + " columns is " + actual + " instead of " + expected);
            }
        }
        return Optional.empty();
    }

    /** A number of a column after rounding, which must be near what it was; the scale itself may be rounded to a half. */
    private double rounded(MemorySegment panel, int count, int column, int k) {
        long step = (long) k / Panel.STEP * Panel.stepBytes(type, count);
        double scale = panel.get(FLOAT, step + Panel.scale(count, column));
        double rounded = panel.get(ValueLayout.JAVA_BYTE, step + Panel.numbers(column) + k % Panel.STEP) * scale;
        double original = columns.getAtIndex(FLOAT, (long) column * elements + k);
        return Math.abs(rounded - original) <= 0.6 * scale ? rounded : Double.NaN;
    }
}
