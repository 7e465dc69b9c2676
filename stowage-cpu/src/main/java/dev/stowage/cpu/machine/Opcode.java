package dev.stowage.cpu.machine;

/**
 * How a vector instruction is encoded: what the manual's line "EVEX.512.66.0F38.W0 50 /r" says, less the width, which the
 * operands have.
 *
 * @param map the table the code is of: {@link #MAP_0F}, {@link #MAP_0F38} or {@link #MAP_0F3A}
 * @param prefix the implied prefix: {@link #NONE}, {@link #P66}, {@link #PF3} or {@link #PF2}
 * @param code the code itself
 * @param wide the bit W
 * @param tuple how much memory an operand in memory has
 * @param form which of the two encodings there are
 */
record Opcode(int map, int prefix, int code, boolean wide, Tuple tuple, Form form) {

    static final int MAP_0F = 1;
    static final int MAP_0F38 = 2;
    static final int MAP_0F3A = 3;

    static final int NONE = 0;
    static final int P66 = 1;
    static final int PF3 = 2;
    static final int PF2 = 3;

    /** Bytes of the elements that are broadcast. */
    static final int ELEMENT = 4;

    /**
     * How much memory an operand in memory has. A short displacement of EVEX counts in this unit, which is why an encoder
     * has to know it.
     */
    enum Tuple {
        /** A vector, or an element for all lanes. */
        FULL,
        /** A vector. */
        WHOLE,
        /** Half a vector. */
        HALF,
        /** A quarter of a vector. */
        QUARTER,
        /** An element of four bytes. */
        SCALAR,
        /** 16 bytes. */
        LANE,
        /** 32 bytes. */
        PAIR;

        /** The bytes of an operand in memory of an instruction on vectors of that many bytes. */
        int bytes(int vector, boolean broadcast) {
            return switch (this) {
                case FULL -> broadcast ? ELEMENT : vector;
                case WHOLE -> vector;
                case HALF -> vector / 2;
                case QUARTER -> vector / 4;
                case SCALAR -> ELEMENT;
                case LANE -> 16;
                case PAIR -> 32;
            };
        }
    }

    /** The encodings of an instruction; the shorter is taken where there are both and the operands allow it. */
    enum Form {
        VEX,
        EVEX,
        BOTH
    }

    /** An instruction on elements of four bytes with both encodings. */
    static Opcode of(int map, int prefix, int code) {
        return new Opcode(map, prefix, code, false, Tuple.FULL, Form.BOTH);
    }

    /** The same of AVX-512 only. */
    Opcode evex() {
        return new Opcode(map, prefix, code, wide, tuple, Form.EVEX);
    }

    /** The same of AVX only. */
    Opcode vex() {
        return new Opcode(map, prefix, code, wide, tuple, Form.VEX);
    }

    Opcode wide64() {
        return new Opcode(map, prefix, code, true, tuple, form);
    }

    Opcode memory(Tuple amount) {
        return new Opcode(map, prefix, code, wide, amount, form);
    }
}
