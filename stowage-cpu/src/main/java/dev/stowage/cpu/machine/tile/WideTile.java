package dev.stowage.cpu.machine.tile;

import static dev.stowage.cpu.machine.Address.at;
import static dev.stowage.cpu.machine.Address.broadcast;
import static dev.stowage.cpu.machine.Gp.RCX;
import static dev.stowage.cpu.machine.Gp.RDI;
import static dev.stowage.cpu.machine.Gp.RDX;
import static dev.stowage.cpu.machine.Gp.RSI;
import static dev.stowage.cpu.machine.Zmm.zmm;

import dev.stowage.cpu.machine.Address;
import dev.stowage.cpu.machine.Operand;
import dev.stowage.cpu.machine.Zmm;

/**
 * Tiles for AVX-512, here with VNNI: a register has all 16 rows, and everything stays in registers.
 *
 * <pre>
 *   0..11   results of 12 columns        24, 25   temporaries
 *   12..19  weights of 32 elements       26, 27   scales and steps of the rows
 *   20..23  sums of 4 columns            28..31   constants
 * </pre>
 */
class WideTile extends TileCode<Zmm> {

    /** to | (a & b) */
    private static final int OR_AND = 0xF8;

    private static final int TOGETHER = 4;

    private static final int FIRST_WEIGHTS = 12;
    private static final int FIRST_SUM = 20;
    private static final Zmm SCALED = zmm(24);
    private static final int LAST_CONSTANT = 31;

    WideTile(TileType type, int columns) {
        super(type, columns);
    }

    @Override
    void begin() {
        for (int value : format.constants()) {
            fill(zmm(24), value);
            code.vmovups(constant(value), zmm(24));
        }
        for (int column = 0; column < columns; column++) {
            code.vpxord(zmm(column), zmm(column), zmm(column));
        }
    }

    @Override
    void multiplyPart(int part) {
        format.unpack(part);
        for (int first = 0; first < columns; first += TOGETHER) {
            multiplyColumns(first, Math.min(TOGETHER, columns - first));
        }
    }

    @Override
    void storeResults() {
        for (int column = 0; column < columns; column++) {
            code.vmovups(at(RDX), zmm(column));
            code.add(RDX, RCX);
        }
    }

    @Override
    Zmm weights(int index) {
        return zmm(FIRST_WEIGHTS + index);
    }

    @Override
    Zmm rowScale() {
        return zmm(26);
    }

    @Override
    Zmm rowStep() {
        return zmm(27);
    }

    @Override
    Zmm temporary() {
        return zmm(25);
    }

    @Override
    Zmm constant(int value) {
        return zmm(LAST_CONSTANT - indexOf(value));
    }

    @Override
    Address inBlock(int bytesPerRow, int unit) {
        return at(RDI, ROWS * bytesPerRow);
    }

    @Override
    void and(Zmm to, Operand from, int constant) {
        code.vpandd(to, constant(constant), from);
    }

    @Override
    void insert(Zmm to, Zmm bits, int constant) {
        code.vpternlogd(to, bits, constant(constant), OR_AND);
    }

    @Override
    void shiftRight(Zmm to, Operand from, int bits) {
        code.vpsrld(to, from, bits);
    }

    @Override
    void shiftLeft(Zmm to, Operand from, int bits) {
        code.vpslld(to, from, bits);
    }

    private Address numbers(int column, int index) {
        return broadcast(RSI, Panel.numbers(column) + 4 * index);
    }

    final Address extra(int column, int index) {
        return at(RSI, Panel.extra(columns, column, index));
    }

    @Override
    void sums(int first, int count, int from, int to, int extra) {
        for (int i = 0; i < count; i++) {
            Zmm sum = zmm(FIRST_SUM + i);
            if (type.extra == TileType.Extra.SCALED_SUM) {
                code.vpxord(sum, sum, sum);
            } else {
                code.vpbroadcastd(sum, extra(first + i, extra));
            }
        }
        for (int j = from; j < to; j++) {
            for (int i = 0; i < count; i++) {
                code.vpdpbusd(zmm(FIRST_SUM + i), weights(j), numbers(first + i, j));
            }
        }
    }

    @Override
    void addSums(int first, int count, boolean second) {
        for (int i = 0; i < count; i++) {
            addSum(first + i, zmm(FIRST_SUM + i), second);
        }
    }

    /** Adds the sum in a register to the result of a column. */
    final void addSum(int column, Zmm sum, boolean second) {
        code.vcvtdq2ps(sum, sum);
        code.vmulps(SCALED, second ? rowStep() : rowScale(), broadcast(RSI, Panel.scale(columns, column)));
        code.vfmadd231ps(zmm(column), sum, SCALED);
    }

    @Override
    void addSteps(int first, int count) {
        for (int i = 0; i < count; i++) {
            code.vfmadd231ps(zmm(first + i), rowStep(), extra(first + i, 0).repeated());
        }
    }
}
