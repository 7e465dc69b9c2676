package dev.stowage.cpu.machine;

import static dev.stowage.cpu.machine.Opcode.MAP_0F;
import static dev.stowage.cpu.machine.Opcode.MAP_0F38;
import static dev.stowage.cpu.machine.Opcode.NONE;
import static dev.stowage.cpu.machine.Opcode.P66;
import static dev.stowage.cpu.machine.Opcode.PF3;
import static dev.stowage.cpu.machine.Opcode.Tuple.WHOLE;

import dev.stowage.cpu.machine.Encoder.Operands;

/**
 * The instructions of the {@link Assembler} that compute a vector from two vectors, the second of which may be in memory,
 * and a few from the target too. They are named as in the manuals, which say what each does.
 */
public abstract sealed class ArithmeticAssembler extends MatrixAssembler permits Assembler {

    public final <V extends VectorRegister<V>> void vaddps(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, NONE, 0x58), to, a, b);
    }

    public final <V extends VectorRegister<V>> void vsubps(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, NONE, 0x5C), to, a, b);
    }

    public final <V extends VectorRegister<V>> void vmulps(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, NONE, 0x59), to, a, b);
    }

    public final <V extends VectorRegister<V>> void vdivps(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, NONE, 0x5E), to, a, b);
    }

    public final <V extends VectorRegister<V>> void vmaxps(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, NONE, 0x5F), to, a, b);
    }

    public final <V extends VectorRegister<V>> void vminps(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, NONE, 0x5D), to, a, b);
    }

    public final <V extends VectorRegister<V>> void vxorps(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, NONE, 0x57), to, a, b);
    }

    /** to += a * b */
    public final <V extends VectorRegister<V>> void vfmadd231ps(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F38, P66, 0xB8), to, a, b);
    }

    /** to = to * a + b */
    public final <V extends VectorRegister<V>> void vfmadd213ps(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F38, P66, 0xA8), to, a, b);
    }

    /** to -= a * b */
    public final <V extends VectorRegister<V>> void vfnmadd231ps(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F38, P66, 0xBC), to, a, b);
    }

    public final <V extends VectorRegister<V>> void vpaddd(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, P66, 0xFE), to, a, b);
    }

    public final <V extends VectorRegister<V>> void vpsubd(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, P66, 0xFA), to, a, b);
    }

    public final <V extends VectorRegister<V>> void vpmulld(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F38, P66, 0x40), to, a, b);
    }

    public final <V extends VectorRegister<V>> void vpmaxsd(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F38, P66, 0x3D), to, a, b);
    }

    public final <V extends VectorRegister<V>> void vpmaxud(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F38, P66, 0x3F), to, a, b);
    }

    public final <V extends VectorRegister<V>> void vpminsd(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F38, P66, 0x39), to, a, b);
    }

    public final <V extends VectorRegister<V>> void vpandd(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, P66, 0xDB).evex(), to, a, b);
    }

    public final <V extends VectorRegister<V>> void vpord(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, P66, 0xEB).evex(), to, a, b);
    }

    public final <V extends VectorRegister<V>> void vpxord(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, P66, 0xEF).evex(), to, a, b);
    }

    /** to = ~a & b */
    public final <V extends VectorRegister<V>> void vpandnd(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, P66, 0xDF).evex(), to, a, b);
    }

    /** As vpandd without AVX-512. */
    public final <V extends VectorRegister<V>> void vpand(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, P66, 0xDB).vex(), to, a, b);
    }

    /** As vpord without AVX-512. */
    public final <V extends VectorRegister<V>> void vpor(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, P66, 0xEB).vex(), to, a, b);
    }

    /** As vpxord without AVX-512. */
    public final <V extends VectorRegister<V>> void vpxor(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, P66, 0xEF).vex(), to, a, b);
    }

    public final <V extends VectorRegister<V>> void vpaddb(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, P66, 0xFC).memory(WHOLE), to, a, b);
    }

    public final <V extends VectorRegister<V>> void vpsubb(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, P66, 0xF8).memory(WHOLE), to, a, b);
    }

    public final <V extends VectorRegister<V>> void vpaddw(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, P66, 0xFD).memory(WHOLE), to, a, b);
    }

    /** The sums of pairs of products of signed words. */
    public final <V extends VectorRegister<V>> void vpmaddwd(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, P66, 0xF5).memory(WHOLE), to, a, b);
    }

    /** The sums, kept within 16 bits, of pairs of products of unsigned bytes of a and signed bytes of b. */
    public final <V extends VectorRegister<V>> void vpmaddubsw(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F38, P66, 0x04).memory(WHOLE), to, a, b);
    }

    /** The bytes of a with the signs of those of b, or 0 where these are 0. */
    public final <V extends VectorRegister<V>> void vpsignb(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F38, P66, 0x08).vex(), to, a, b);
    }

    /** Lanes of 32 bits of a and b as words, of which those beyond 16 bits become 0 or 65,535; within each 16 bytes. */
    public final <V extends VectorRegister<V>> void vpackusdw(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F38, P66, 0x2B), to, a, b);
    }

    /** Words of a and b as bytes, of which those beyond 8 bits become 0 or 255; within each 16 bytes. */
    public final <V extends VectorRegister<V>> void vpackuswb(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, P66, 0x67).memory(WHOLE), to, a, b);
    }

    /** The bytes of a that the bytes of b name, within each 16 bytes. */
    public final <V extends VectorRegister<V>> void vpshufb(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F38, P66, 0x00).memory(WHOLE), to, a, b);
    }

    public final <V extends VectorRegister<V>> void vpunpckldq(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, P66, 0x62), to, a, b);
    }

    public final <V extends VectorRegister<V>> void vpunpckhdq(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F, P66, 0x6A), to, a, b);
    }

    /** Only of 64 bytes: of others there is a shorter encoding that is not written here. */
    public final <V extends VectorRegister<V>> void vpunpcklqdq(Target<V> to, V a, Operand b) {
        requireWidth(a, 64);
        three(Opcode.of(MAP_0F, P66, 0x6C).evex().wide64().memory(WHOLE), to, a, b);
    }

    /** Only of 64 bytes, as vpunpcklqdq. */
    public final <V extends VectorRegister<V>> void vpunpckhqdq(Target<V> to, V a, Operand b) {
        requireWidth(a, 64);
        three(Opcode.of(MAP_0F, P66, 0x6D).evex().wide64().memory(WHOLE), to, a, b);
    }

    /** Adds to each lane of 32 bits the four products of unsigned bytes of a and signed bytes of b. */
    public final <V extends VectorRegister<V>> void vpdpbusd(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F38, P66, 0x50).evex(), to, a, b);
    }

    /** The same for AVX-VNNI, without AVX-512. */
    public final <V extends VectorRegister<V>> void vpdpbusdVex(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F38, P66, 0x50).vex(), to, a, b);
    }

    /** Adds to each lane of 32 bits the two products of signed words of a and b. */
    public final <V extends VectorRegister<V>> void vpdpwssd(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F38, P66, 0x52).evex(), to, a, b);
    }

    /** Adds to each float the two products of bf16 of a and b. */
    public final <V extends VectorRegister<V>> void vdpbf16ps(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F38, PF3, 0x52).evex(), to, a, b);
    }

    /** The bytes of b that the bytes of a name. */
    public final <V extends VectorRegister<V>> void vpermb(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F38, P66, 0x8D).evex().memory(WHOLE), to, a, b);
    }

    /** The lanes of to and b, as one table, that the lanes of a name. */
    public final <V extends VectorRegister<V>> void vpermt2d(Target<V> to, V a, Operand b) {
        three(Opcode.of(MAP_0F38, P66, 0x7E).evex(), to, a, b);
    }

    final <V extends VectorRegister<V>> void three(Opcode opcode, Target<V> to, V a, Operand b) {
        requireWidth(b, a.bytes());
        write(opcode, to, a.number(), b);
    }

    /** Writes an instruction with one more operand than its target and the last. */
    final <V extends VectorRegister<V>> void write(Opcode opcode, Target<V> to, int second, Operand last) {
        encoder.vector(opcode, operands(to, second, last));
    }

    static <V extends VectorRegister<V>> Operands operands(Target<V> to, int second, Operand last) {
        V register = to.register();
        return to instanceof Masked<V> masked
                ? new Operands(
                        register.bytes(),
                        register.number(),
                        second,
                        last,
                        masked.mask().number(),
                        masked.zeroing())
                : new Operands(register.bytes(), register.number(), second, last);
    }

    static void requireWidth(Operand operand, int bytes) {
        if (operand instanceof VectorRegister<?> register && register.bytes() != bytes) {
            throw new IllegalArgumentException(
                    register + " has " + register.bytes() + " bytes where the instruction takes " + bytes);
        }
    }
}
