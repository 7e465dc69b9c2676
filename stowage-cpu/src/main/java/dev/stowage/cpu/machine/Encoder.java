package dev.stowage.cpu.machine;

import dev.stowage.cpu.machine.Opcode.Form;

/**
 * Writes instructions of vectors: prefix, opcode, operands. The prefix is one of
 *
 * <pre>
 *   VEX   C5 RvvvvLpp                          two bytes, where X, B and W are not needed and the map is 0F
 *   VEX   C4 RXBmmmmm WvvvvLpp
 *   EVEX  62 RXBR'0mmm Wvvvv1pp zL'LbV'aaa     masks, broadcast, 512 bits, registers from 16 on
 * </pre>
 *
 * where R, X, B, vvvv and V', the upper bits of the register numbers, are stored inverted.
 */
final class Encoder {

    private static final int NO_MASK = 0;
    private static final int FIRST_UPPER = 16;

    private final CodeBytes code;

    Encoder(CodeBytes code) {
        this.code = code;
    }

    /** The operands of a vector instruction: register numbers, the last operand, and what AVX-512 adds. */
    record Operands(int bytes, int reg, int second, Operand last, int mask, boolean zeroing) {

        Operands(int bytes, int reg, int second, Operand last) {
            this(bytes, reg, second, last, NO_MASK, false);
        }

        boolean isBroadcast() {
            return last instanceof Address address && address.broadcast();
        }

        /** Whether only EVEX has what these operands need. */
        boolean needEvex() {
            boolean upper = reg >= FIRST_UPPER
                    || second >= FIRST_UPPER
                    || (last instanceof VectorRegister<?> register && register.number() >= FIRST_UPPER);
            return bytes == 64 || upper || mask != NO_MASK || isBroadcast();
        }
    }

    void vector(Opcode opcode, Operands operands) {
        boolean evex = opcode.form() == Form.EVEX || (opcode.form() == Form.BOTH && operands.needEvex());
        if (opcode.form() == Form.VEX && operands.needEvex()) {
            throw new IllegalArgumentException("the instruction has no encoding for " + operands);
        }
        if (operands.isBroadcast() && opcode.tuple() != Opcode.Tuple.FULL) {
            throw new IllegalArgumentException("the instruction cannot repeat an element of memory: " + operands);
        }
        if (evex) {
            evex(opcode, operands);
        } else {
            vex(opcode, operands);
        }
        code.add(opcode.code());
        int unit = evex ? opcode.tuple().bytes(operands.bytes(), operands.isBroadcast()) : 1;
        last(operands.reg(), operands.last(), unit);
    }

    private void evex(Opcode opcode, Operands operands) {
        int reg = operands.reg();
        int second = operands.second();
        int x = operands.last() instanceof VectorRegister<?> r ? r.number() >> 4 & 1 : indexBit(operands.last());
        int length = Integer.numberOfTrailingZeros(operands.bytes() / 16);
        code.add(0x62);
        code.add(((~reg >> 3 & 1) << 7)
                | ((x ^ 1) << 6)
                | ((baseBit(operands.last()) ^ 1) << 5)
                | ((~reg >> 4 & 1) << 4)
                | opcode.map());
        code.add((opcode.wide() ? 0x80 : 0) | ((~second & 15) << 3) | 4 | opcode.prefix());
        code.add((operands.zeroing() ? 0x80 : 0)
                | (length << 5)
                | (operands.isBroadcast() ? 0x10 : 0)
                | ((~second >> 4 & 1) << 3)
                | operands.mask());
    }

    private void vex(Opcode opcode, Operands operands) {
        int r = ~operands.reg() >> 3 & 1;
        int x = indexBit(operands.last());
        int b = baseBit(operands.last());
        int rest = ((~operands.second() & 15) << 3) | (operands.bytes() == 32 ? 4 : 0) | opcode.prefix();
        if (x == 0 && b == 0 && !opcode.wide() && opcode.map() == Opcode.MAP_0F) {
            code.add(0xC5);
            code.add((r << 7) | rest);
        } else {
            code.add(0xC4);
            code.add((r << 7) | ((x ^ 1) << 6) | ((b ^ 1) << 5) | opcode.map());
            code.add((opcode.wide() ? 0x80 : 0) | rest);
        }
    }

    /** Bit 3 of the register, or of the base of the memory. */
    static int baseBit(Operand last) {
        return switch (last) {
            case VectorRegister<?> register -> register.number() >> 3 & 1;
            case Address address -> address.base().number() >> 3 & 1;
        };
    }

    /** Bit 3 of the index of the memory. */
    static int indexBit(Operand last) {
        return last instanceof Address address && address.index() != null
                ? address.index().number() >> 3 & 1
                : 0;
    }

    /** Writes the operands: the register {@code reg}, or what stands in its place, and the last one. */
    void last(int reg, Operand last, int unit) {
        switch (last) {
            case VectorRegister<?> register -> register(reg, register.number());
            case Address address -> address(reg, address, unit);
        }
    }

    void register(int reg, int last) {
        code.add(0xC0 | ((reg & 7) << 3) | (last & 7));
    }

    /**
     * Writes an operand in memory.
     *
     * @param unit what a displacement of one byte counts in
     */
    void address(int reg, Address address, int unit) {
        int base = address.base().number() & 7;
        int displacement = address.displacement();
        // RBP and R13 without a displacement would mean something else, as RSP and R12 without an index byte would.
        boolean none = displacement == 0 && base != Gp.RBP.number();
        boolean isShort = displacement % unit == 0 && isByte(displacement / unit);
        int mode = none ? 0 : isShort ? 1 : 2;
        Gp index = address.index();
        boolean hasIndexByte = index != null || base == Gp.RSP.number();
        code.add((mode << 6) | ((reg & 7) << 3) | (hasIndexByte ? Gp.RSP.number() : base));
        if (hasIndexByte) {
            int scale = Integer.numberOfTrailingZeros(address.scale());
            int number = index == null ? Gp.RSP.number() : index.number() & 7;
            code.add((scale << 6) | (number << 3) | base);
        }
        if (mode == 1) {
            code.add(displacement / unit);
        } else if (mode == 2) {
            code.addInt(displacement);
        }
    }

    static boolean isByte(long value) {
        return value == (byte) value;
    }
}
