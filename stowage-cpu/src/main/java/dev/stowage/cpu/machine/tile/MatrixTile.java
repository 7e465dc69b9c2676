package dev.stowage.cpu.machine.tile;

import static dev.stowage.cpu.machine.Address.at;
import static dev.stowage.cpu.machine.Gp.R10;
import static dev.stowage.cpu.machine.Gp.R11;
import static dev.stowage.cpu.machine.Gp.R9;
import static dev.stowage.cpu.machine.Gp.RSI;
import static dev.stowage.cpu.machine.Gp.RSP;
import static dev.stowage.cpu.machine.Zmm.zmm;

import dev.stowage.cpu.machine.Assembler;
import dev.stowage.cpu.machine.Zmm;
import dev.stowage.cpu.machine.matrix.MatrixUnit;
import java.util.List;
import java.util.function.Function;

/**
 * Tiles for AMX: the products of 32 elements of all rows and all columns, or of 16, are one instruction. What is unpacked into
 * eight registers is what the second matrix has to be, and a panel has the numbers of its columns as the first has to be:
 *
 * <pre>
 *                                row 0 ... row 15            row 0 ... row 15
 *   column 0   32 numbers        ┌───────────────┐           ┌───────────────┐
 *   ...                      x   │ w0: 4 x 16    │    =      │ 16 sums       │   column 0
 *   column 11  32 numbers        │ ...           │           │ ...           │
 *                                │ w7: 4 x 16    │           │ 16 sums       │   column 11
 *                                └───────────────┘           └───────────────┘
 *
 *   RSP   +0      the weights
 *         +512    the sums
 *         +1280   configuration
 *   R9, R10, R11  bytes from column to column of numbers, from row to row of the others; RSP as it was
 * </pre>
 *
 * Sums go through memory into registers of 512 bits, and to results as without AMX.
 */
final class MatrixTile extends WideTile {

    private static final int SUMS = WEIGHTS * LINE;
    private static final int CONFIGURATION = SUMS + Panel.MOST_COLUMNS * LINE;
    private static final int FRAME = CONFIGURATION + LINE;

    private static final int PRODUCT = 0;
    private static final int NUMBERS = 1;
    private static final int UNPACKED = 2;

    private static final Zmm SUM = zmm(20);

    private final MatrixUnit unit;

    MatrixTile(TileType type, int columns, Function<Assembler, MatrixUnit> unit) {
        super(type, columns);
        this.unit = unit.apply(code);
    }

    @Override
    void begin() {
        super.begin();
        code.mov(R11, RSP);
        code.sub(RSP, FRAME);
        code.and(RSP, -LINE);
        code.mov(R9, Panel.STEP);
        code.mov(R10, LINE);
        int elements = type.extra == TileType.Extra.TWO_SUMS ? Panel.STEP / 2 : Panel.STEP;
        unit.configure(
                List.of(
                        new MatrixUnit.Shape(columns, LINE),
                        new MatrixUnit.Shape(columns, elements),
                        new MatrixUnit.Shape(elements / 4, LINE)),
                at(RSP, CONFIGURATION));
    }

    @Override
    void multiplyPart(int part) {
        format.unpack(part);
        for (int j = 0; j < WEIGHTS; j++) {
            code.vmovups(at(RSP, j * LINE), weights(j));
        }
        multiplyColumns(0, columns);
    }

    @Override
    void storeResults() {
        unit.release();
        code.mov(RSP, R11);
        super.storeResults();
    }

    @Override
    void sums(int first, int count, int from, int to, int extra) {
        unit.zero(PRODUCT);
        unit.load(NUMBERS, at(RSI, R9, 1, 4 * from));
        unit.load(UNPACKED, at(RSP, R10, 1, from * LINE));
        unit.multiply(PRODUCT, NUMBERS, UNPACKED);
        unit.store(at(RSP, R10, 1, SUMS), PRODUCT);
    }

    @Override
    void addSums(int first, int count, boolean second) {
        for (int column = first; column < first + count; column++) {
            if (type.extra == TileType.Extra.SCALED_SUM) {
                code.vmovups(SUM, at(RSP, SUMS + column * LINE));
            } else {
                code.vpbroadcastd(SUM, extra(column, second ? 1 : 0));
                code.vpaddd(SUM, SUM, at(RSP, SUMS + column * LINE));
            }
            addSum(column, SUM, second);
        }
    }
}
