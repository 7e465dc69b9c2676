package dev.stowage.cpu.machine.tile;

import static dev.stowage.cpu.machine.Ymm.ymm;
import static dev.stowage.cpu.machine.Zmm.zmm;

import dev.stowage.cpu.machine.Address;
import dev.stowage.cpu.machine.Zmm;

/** The rounding of columns for AVX-512: 16 numbers in a register. */
final class WideColumns extends ColumnCode<Zmm> {

    WideColumns(TileType type) {
        super(type);
    }

    @Override
    Zmm v(int number) {
        return zmm(number);
    }

    @Override
    void loadSizes(Zmm to, Address from) {
        code.vpandd(to, zmm(WITHOUT_SIGN), from);
    }

    @Override
    void foldMaxima(int register) {
        code.vextracti64x4(ymm(0), zmm(register), 1);
        code.vpmaxud(ymm(register), ymm(register), ymm(0));
    }

    @Override
    void storeBytes(Address to) {
        code.vpmovdb(to, zmm(0));
        code.vpmovdb(to.plus(16), zmm(1));
    }

    @Override
    void foldSums() {
        for (int i = 0; i < 2; i++) {
            code.vextracti64x4(ymm(2), zmm(i), 1);
            code.vpaddd(ymm(i), ymm(i), ymm(2));
        }
    }
}
