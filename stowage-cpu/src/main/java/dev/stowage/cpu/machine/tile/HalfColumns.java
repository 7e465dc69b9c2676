package dev.stowage.cpu.machine.tile;

import static dev.stowage.cpu.machine.Address.at;
import static dev.stowage.cpu.machine.Gp.RAX;
import static dev.stowage.cpu.machine.Gp.RSP;
import static dev.stowage.cpu.machine.Ymm.ymm;

import dev.stowage.cpu.machine.Address;
import dev.stowage.cpu.machine.Ymm;

/** The rounding of columns for registers of 256 bits: 8 numbers in a register, so that 32 are four. */
final class HalfColumns extends ColumnCode<Ymm> {

    private static final int LOW_BYTE = FIRST_FREE;
    private static final int ORDER = FIRST_FREE + 1;

    /** The first of four temporaries. */
    private static final int BYTES = FIRST_FREE + 2;

    /** What packing leaves in lanes of 4 bytes: 0 to 3 are numbers 0, 8, 16, 24 and on, 4 to 7 numbers 4, 12, 20, 28 and on. */
    private static final int[] LANES_IN_ORDER = {0, 4, 1, 5, 2, 6, 3, 7};

    HalfColumns(TileType type) {
        super(type);
    }

    @Override
    void constants() {
        super.constants();
        fill(LOW_BYTE, 0xFF);
        code.sub(RSP, Integer.BYTES * LANES_IN_ORDER.length);
        for (int i = 0; i < LANES_IN_ORDER.length; i += 2) {
            code.mov(RAX, LANES_IN_ORDER[i] | (long) LANES_IN_ORDER[i + 1] << 32);
            code.mov(at(RSP, i * Integer.BYTES), RAX);
        }
        code.vmovups(ymm(ORDER), at(RSP));
        code.add(RSP, Integer.BYTES * LANES_IN_ORDER.length);
    }

    @Override
    Ymm v(int number) {
        return ymm(number);
    }

    @Override
    void loadSizes(Ymm to, Address from) {
        code.vpand(to, ymm(WITHOUT_SIGN), from);
    }

    @Override
    void foldMaxima(int register) {
        // There are 32 bytes from the beginning.
    }

    @Override
    void storeBytes(Address to) {
        for (int i = 0; i < 4; i++) {
            code.vpand(ymm(BYTES + i), ymm(i), ymm(LOW_BYTE));
        }
        code.vpackusdw(ymm(BYTES), ymm(BYTES), ymm(BYTES + 1));
        code.vpackusdw(ymm(BYTES + 2), ymm(BYTES + 2), ymm(BYTES + 3));
        code.vpackuswb(ymm(BYTES), ymm(BYTES), ymm(BYTES + 2));
        code.vpermd(ymm(BYTES), ymm(ORDER), ymm(BYTES));
        code.vmovups(to, ymm(BYTES));
    }

    @Override
    void foldSums() {
        code.vpaddd(ymm(0), ymm(0), ymm(1));
        code.vpaddd(ymm(1), ymm(2), ymm(3));
    }
}
