package dev.stowage.cpu.machine;

import static dev.stowage.cpu.machine.Opcode.MAP_0F;
import static dev.stowage.cpu.machine.Opcode.MAP_0F38;
import static dev.stowage.cpu.machine.Opcode.MAP_0F3A;
import static dev.stowage.cpu.machine.Opcode.NONE;
import static dev.stowage.cpu.machine.Opcode.P66;
import static dev.stowage.cpu.machine.Opcode.PF2;
import static dev.stowage.cpu.machine.Opcode.PF3;
import static dev.stowage.cpu.machine.Opcode.Tuple.HALF;
import static dev.stowage.cpu.machine.Opcode.Tuple.LANE;
import static dev.stowage.cpu.machine.Opcode.Tuple.PAIR;
import static dev.stowage.cpu.machine.Opcode.Tuple.QUARTER;
import static dev.stowage.cpu.machine.Opcode.Tuple.SCALAR;
import static dev.stowage.cpu.machine.Opcode.Tuple.WHOLE;

import dev.stowage.cpu.machine.Encoder.Operands;

/**
 * Writes machine code for x86-64, a method per instruction. A loop that adds up floats:
 *
 * {@snippet :
 * Assembler code = new Assembler();
 * Label next = new Label();
 * code.vpxord(zmm(0), zmm(0), zmm(0));
 * code.bind(next);
 * code.vaddps(zmm(0), zmm(0), at(RDI));
 * code.add(RDI, 64);
 * code.dec(RSI);
 * code.jnz(next);
 * }
 *
 * Operands come in the order of the manuals, the target first. Of the encodings of an instruction the shortest is taken.
 * What there is no encoding for is refused when it is written; whether the processor knows an instruction is a question for
 * {@link Features}.
 */
public final class Assembler extends ArithmeticAssembler {

    /** No register in the place of the second operand. */
    private static final int UNUSED = 0;

    public <V extends VectorRegister<V>> void vmovups(Target<V> to, Operand from) {
        move(Opcode.of(MAP_0F, NONE, 0x10).memory(WHOLE), to, from);
    }

    public <V extends VectorRegister<V>> void vmovups(Address to, V from) {
        store(Opcode.of(MAP_0F, NONE, 0x11).memory(WHOLE), to, from);
    }

    /** Stores the lanes that are in a mask; the others are not written, nor checked. */
    public <V extends VectorRegister<V>> void vmovups(Address to, Mask mask, V from) {
        Opcode opcode = Opcode.of(MAP_0F, NONE, 0x11).memory(WHOLE);
        encoder.vector(opcode, new Operands(from.bytes(), from.number(), UNUSED, to, mask.number(), false));
    }

    public <V extends VectorRegister<V>> void vmovdqu8(Target<V> to, Operand from) {
        move(Opcode.of(MAP_0F, PF2, 0x6F).evex().memory(WHOLE), to, from);
    }

    public <V extends VectorRegister<V>> void vmovdqu8(Address to, V from) {
        store(Opcode.of(MAP_0F, PF2, 0x7F).evex().memory(WHOLE), to, from);
    }

    /** Stores the first 32 bits. */
    public void vmovd(Address to, Xmm from) {
        store(Opcode.of(MAP_0F, P66, 0x7E).memory(SCALAR), to, from);
    }

    /** Loads 32 bits; the others become 0. */
    public void vmovd(Xmm to, Address from) {
        move(Opcode.of(MAP_0F, P66, 0x6E).memory(SCALAR), to, from);
    }

    /** The lower half of a register; the other bits become 0. */
    public void vmovd(Xmm to, Gp from) {
        move(Opcode.of(MAP_0F, P66, 0x6E).memory(SCALAR), to, new Xmm(from.number()));
    }

    /** The first 32 bits from memory in every lane. */
    public <V extends VectorRegister<V>> void vpbroadcastd(Target<V> to, Address from) {
        write(Opcode.of(MAP_0F38, P66, 0x58).memory(SCALAR), to, UNUSED, from);
    }

    public <V extends VectorRegister<V>> void vpbroadcastd(Target<V> to, Xmm from) {
        write(Opcode.of(MAP_0F38, P66, 0x58).memory(SCALAR), to, UNUSED, from);
    }

    /** The lower half of a register in every lane of 32 bits. */
    public <V extends VectorRegister<V>> void vpbroadcastd(Target<V> to, Gp from) {
        write(Opcode.of(MAP_0F38, P66, 0x7C).evex(), to, UNUSED, new Xmm(from.number()));
    }

    /** The lowest byte of a register in every byte. */
    public <V extends VectorRegister<V>> void vpbroadcastb(Target<V> to, Gp from) {
        write(Opcode.of(MAP_0F38, P66, 0x7A).evex(), to, UNUSED, new Xmm(from.number()));
    }

    /** 16 bytes of memory in every 16 bytes. */
    public <V extends VectorRegister<V>> void vbroadcasti32x4(Target<V> to, Address from) {
        write(Opcode.of(MAP_0F38, P66, 0x5A).evex().memory(LANE), to, UNUSED, from);
    }

    public <V extends VectorRegister<V>> void vpsrld(Target<V> to, Operand from, int bits) {
        shift(0x72, 2, to, from, bits);
    }

    public <V extends VectorRegister<V>> void vpsrad(Target<V> to, Operand from, int bits) {
        shift(0x72, 4, to, from, bits);
    }

    public <V extends VectorRegister<V>> void vpslld(Target<V> to, Operand from, int bits) {
        shift(0x72, 6, to, from, bits);
    }

    public <V extends VectorRegister<V>> void vcvtdq2ps(Target<V> to, Operand from) {
        move(Opcode.of(MAP_0F, NONE, 0x5B), to, from);
    }

    /** Bytes without their signs; -128 becomes 128 without a sign. */
    public <V extends VectorRegister<V>> void vpabsb(Target<V> to, Operand from) {
        move(Opcode.of(MAP_0F38, P66, 0x1C).memory(WHOLE), to, from);
    }

    /** To the nearest whole number, to the even one in between. */
    public <V extends VectorRegister<V>> void vcvtps2dq(Target<V> to, Operand from) {
        move(Opcode.of(MAP_0F, P66, 0x5B), to, from);
    }

    /** Halves, in memory or in the lower half of a register, to floats. */
    public <V extends VectorRegister<V>> void vcvtph2ps(Target<V> to, Operand from) {
        widen(Opcode.of(MAP_0F38, P66, 0x13).memory(HALF), 2, to, from);
    }

    /** Floats to the nearest halves, in memory. */
    public <V extends VectorRegister<V>> void vcvtps2ph(Address to, V from) {
        store(Opcode.of(MAP_0F3A, P66, 0x1D).memory(HALF), to, from);
        code.add(0);
    }

    /** Floats to the nearest halves, which are in the lower half of the target then. */
    public void vcvtps2ph(Xmm to, Xmm from) {
        encoder.vector(Opcode.of(MAP_0F3A, P66, 0x1D), new Operands(16, from.number(), UNUSED, to));
        code.add(0);
    }

    public <V extends VectorRegister<V>> void vpmovzxbd(Target<V> to, Operand from) {
        widen(Opcode.of(MAP_0F38, P66, 0x31).memory(QUARTER), 4, to, from);
    }

    public <V extends VectorRegister<V>> void vpmovsxbd(Target<V> to, Operand from) {
        widen(Opcode.of(MAP_0F38, P66, 0x21).memory(QUARTER), 4, to, from);
    }

    public <V extends VectorRegister<V>> void vpmovzxbw(Target<V> to, Operand from) {
        widen(Opcode.of(MAP_0F38, P66, 0x30).memory(HALF), 2, to, from);
    }

    public <V extends VectorRegister<V>> void vpmovzxwd(Target<V> to, Operand from) {
        widen(Opcode.of(MAP_0F38, P66, 0x33).memory(HALF), 2, to, from);
    }

    /** The lowest byte of each lane of 32 bits, to memory. */
    public <V extends VectorRegister<V>> void vpmovdb(Address to, V from) {
        store(Opcode.of(MAP_0F38, PF3, 0x31).evex().memory(QUARTER), to, from);
    }

    /** The lanes of b that the lanes of a name. */
    public <V extends VectorRegister<V>> void vpermd(Target<V> to, V a, Operand b) {
        if (a.bytes() == 16) {
            throw new IllegalArgumentException("vpermd takes registers of 32 and 64 bytes");
        }
        three(Opcode.of(MAP_0F38, P66, 0x36), to, a, b);
    }

    public <V extends VectorRegister<V>> void vpshufd(Target<V> to, Operand from, int order) {
        move(Opcode.of(MAP_0F, P66, 0x70), to, from);
        code.add(order);
    }

    /** Lanes of 16 bytes: the first half of the target from a, the second from b. */
    public <V extends VectorRegister<V>> void vshufi32x4(Target<V> to, V a, Operand b, int order) {
        if (a.bytes() == 16) {
            throw new IllegalArgumentException("vshufi32x4 takes registers of 32 and 64 bytes");
        }
        three(Opcode.of(MAP_0F3A, P66, 0x43).evex(), to, a, b);
        code.add(order);
    }

    /** Any function of three bits; the table has its result for bits of to, a and b, of which to is the uppermost. */
    public <V extends VectorRegister<V>> void vpternlogd(Target<V> to, V a, Operand b, int table) {
        three(Opcode.of(MAP_0F3A, P66, 0x25).evex(), to, a, b);
        code.add(table);
    }

    /** Half of a register. */
    public void vextracti64x4(Ymm to, Zmm from, int half) {
        Opcode opcode = Opcode.of(MAP_0F3A, P66, 0x3B).evex().wide64().memory(PAIR);
        encoder.vector(opcode, new Operands(64, from.number(), UNUSED, to));
        code.add(half);
    }

    /** Half of a register. */
    public void vextracti128(Xmm to, Ymm from, int half) {
        Opcode opcode = Opcode.of(MAP_0F3A, P66, 0x39).vex().memory(LANE);
        encoder.vector(opcode, new Operands(32, from.number(), UNUSED, to));
        code.add(half);
    }

    /** The bytes for which a & b is not 0. */
    public <V extends VectorRegister<V>> void vptestmb(Mask to, V a, Operand b) {
        requireWidth(b, a.bytes());
        Opcode opcode = Opcode.of(MAP_0F38, P66, 0x26).evex().memory(WHOLE);
        encoder.vector(opcode, new Operands(a.bytes(), to.number(), a.number(), b));
    }

    public void kmovq(Mask to, Gp from) {
        Opcode opcode = Opcode.of(MAP_0F, PF2, 0x92).vex().wide64();
        encoder.vector(opcode, new Operands(16, to.number(), UNUSED, new Xmm(from.number())));
    }

    /** Clears the upper parts of all vectors, as code without AVX expects it. */
    public void vzeroupper() {
        code.add(0xC5);
        code.add(0xF8);
        code.add(0x77);
    }

    private <V extends VectorRegister<V>> void move(Opcode opcode, Target<V> to, Operand from) {
        requireWidth(from, to.register().bytes());
        write(opcode, to, UNUSED, from);
    }

    private <V extends VectorRegister<V>> void widen(Opcode opcode, int times, Target<V> to, Operand from) {
        requireWidth(from, Math.max(16, to.register().bytes() / times));
        write(opcode, to, UNUSED, from);
    }

    private <V extends VectorRegister<V>> void store(Opcode opcode, Address to, V from) {
        encoder.vector(opcode, new Operands(from.bytes(), from.number(), UNUSED, to));
    }

    private <V extends VectorRegister<V>> void shift(int code1, int kind, Target<V> to, Operand from, int bits) {
        int bytes = to.register().bytes();
        requireWidth(from, bytes);
        // In VEX the shifted operand must be a register.
        Opcode both = Opcode.of(MAP_0F, P66, code1);
        Opcode opcode = from instanceof Address ? both.evex() : both;
        Operands plain = operands(to, to.register().number(), from);
        encoder.vector(opcode, new Operands(bytes, kind, plain.second(), from, plain.mask(), plain.zeroing()));
        code.add(bits);
    }
}
