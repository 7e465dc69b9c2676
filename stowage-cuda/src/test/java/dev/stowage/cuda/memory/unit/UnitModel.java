package dev.stowage.cuda.memory.unit;

/**
 * Packing and unpacking of rows as {@code unit_pack.cu} does it, byte by byte, in plain Java: the same functions of the
 * same indices.
 */
final class UnitModel {

    private final UnitLayout layout;

    UnitModel(UnitLayout layout) {
        this.layout = layout;
    }

    /** Stores rows, counted over all matrices, in units. */
    void pack(byte[] source, byte[] units, long first, long rows) {
        each(first, rows, source, units, (block, at, unit, to, lanes, lane, row) -> {
            switch (layout.format()) {
                case Q4_0 -> {
                    move(block, at, unit, to + 64 * lanes + lane * 8 + row * 2, 2);
                    move(block, at + 2, unit, to + (row * lanes + lane) * 16, 16);
                }
                case Q8_0 -> {
                    move(block, at, unit, to + 128 * lanes + lane * 8 + row * 2, 2);
                    move(block, at + 2, unit, to + (row * 2 * lanes + lane) * 16, 16);
                    move(block, at + 18, unit, to + ((row * 2 + 1) * lanes + lane) * 16, 16);
                }
                case F16, BF16 -> move(block, at, unit, to + (row * lanes + lane) * 16, 16);
                case Q4_K, Q5_K, Q6_K -> KQuantModel.pack(layout.format(), block, at, unit, to, lanes, lane, row);
            }
        });
    }

    /** Reads rows from units. */
    void unpack(byte[] units, byte[] target, long first, long rows) {
        each(first, rows, target, units, (block, at, unit, from, lanes, lane, row) -> {
            switch (layout.format()) {
                case Q4_0 -> {
                    move(unit, from + 64 * lanes + lane * 8 + row * 2, block, at, 2);
                    move(unit, from + (row * lanes + lane) * 16, block, at + 2, 16);
                }
                case Q8_0 -> {
                    move(unit, from + 128 * lanes + lane * 8 + row * 2, block, at, 2);
                    move(unit, from + (row * 2 * lanes + lane) * 16, block, at + 2, 16);
                    move(unit, from + ((row * 2 + 1) * lanes + lane) * 16, block, at + 18, 16);
                }
                case F16, BF16 -> move(unit, from + (row * lanes + lane) * 16, block, at, 16);
                case Q4_K, Q5_K, Q6_K -> {
                    if (lane % 8 == 0) {
                        KQuantModel.unpack(layout.format(), unit, from, block, at, lanes, lane, row);
                    }
                }
            }
        });
    }

    /** Something that is done with a lane of a unit, and the block that has its weights. */
    private interface Action {

        void run(byte[] block, int at, byte[] unit, int offset, int lanes, int lane, int row);
    }

    private void each(long first, long rows, byte[] plain, byte[] units, Action action) {
        int laneWeights = layout.format().laneWeights();
        int blockSize = Math.max(layout.format().type().blockSize(), laneWeights);
        int blockBytes = (int) layout.format().type().rowBytes(blockSize);
        for (long row = first; row < first + rows; row++) {
            for (int column = 0; column < layout.k() / laneWeights; column++) {
                int step = column / UnitFormat.LANES;
                int block = column * laneWeights / blockSize;
                action.run(
                        plain,
                        (int) ((row - first) * layout.rowBytes()) + block * blockBytes,
                        units,
                        (int) layout.unitOffset(row, step),
                        layout.lanes(step),
                        column % UnitFormat.LANES,
                        (int) (row % layout.rows() % UnitFormat.ROWS));
            }
        }
    }

    private static void move(byte[] from, int at, byte[] to, int target, int bytes) {
        System.arraycopy(from, at, to, target, bytes);
    }
}
