package dev.stowage.cpu.machine;

import static dev.stowage.cpu.machine.InstructionForm.fromGp;
import static dev.stowage.cpu.machine.InstructionForm.fromXmm;
import static dev.stowage.cpu.machine.InstructionForm.immediate;
import static dev.stowage.cpu.machine.InstructionForm.load;
import static dev.stowage.cpu.machine.InstructionForm.narrow;
import static dev.stowage.cpu.machine.InstructionForm.scalar;
import static dev.stowage.cpu.machine.InstructionForm.scalarImmediate;
import static dev.stowage.cpu.machine.InstructionForm.store;
import static dev.stowage.cpu.machine.InstructionForm.three;
import static dev.stowage.cpu.machine.InstructionForm.threeImmediate;
import static dev.stowage.cpu.machine.InstructionForm.two;
import static dev.stowage.cpu.machine.RandomOperands.text;

import dev.stowage.cpu.machine.InstructionForm.Kind;
import java.util.List;

/** All instructions of the {@link Assembler}; a test compares this list with its methods. */
final class InstructionForms {

    static final List<InstructionForm> ALL = InstructionForm.concat(
            List.of(scalars(), memory(), fixed(), arithmetic(), moves(), rest(), MatrixForms.all()));

    private InstructionForms() {}

    private static List<InstructionForm> scalars() {
        return List.of(
                scalar("mov", Assembler::mov),
                scalar("add", Assembler::add),
                scalar("sub", Assembler::sub),
                scalar("or", Assembler::or),
                scalar("cmp", Assembler::cmp),
                scalar("test", Assembler::test),
                scalarImmediate("add", Assembler::add),
                scalarImmediate("sub", Assembler::sub),
                scalarImmediate("and", Assembler::and),
                scalarImmediate("cmp", Assembler::cmp),
                new InstructionForm("mov", (code, random) -> {
                    Gp to = random.gp();
                    long value = random.value();
                    code.mov(to, value);
                    return "mov " + text(to) + ", " + value;
                }),
                shift("shl", Assembler::shl),
                shift("shr", Assembler::shr),
                one("dec", Assembler::dec),
                one("push", Assembler::push),
                one("pop", Assembler::pop));
    }

    private static InstructionForm shift(String name, InstructionForm.ScalarImmediate instruction) {
        return new InstructionForm(name, (code, random) -> {
            Gp to = random.gp();
            int bits = 2 + random.number(62);
            instruction.write(code, to, bits);
            return name + " " + text(to) + ", " + bits;
        });
    }

    private interface One {
        void write(Assembler code, Gp register);
    }

    private static InstructionForm one(String name, One instruction) {
        return new InstructionForm(name, (code, random) -> {
            Gp register = random.gp();
            instruction.write(code, register);
            return name + " " + text(register);
        });
    }

    private static List<InstructionForm> memory() {
        return List.of(
                new InstructionForm("mov", (code, random) -> {
                    Gp to = random.gp();
                    Address from = random.address(false);
                    code.mov(to, from);
                    return "mov " + text(to) + ", " + text(from);
                }),
                new InstructionForm("mov", (code, random) -> {
                    Gp from = random.gp();
                    Address to = random.address(false);
                    code.mov(to, from);
                    return "mov " + text(to) + ", " + text(from);
                }),
                new InstructionForm("lea", (code, random) -> {
                    Gp to = random.gp();
                    Address from = random.address(false);
                    code.lea(to, from);
                    return "lea " + text(to) + ", " + text(from);
                }),
                prefetch("prefetcht0", Assembler::prefetcht0),
                prefetch("prefetcht1", Assembler::prefetcht1));
    }

    private interface Prefetch {
        void write(Assembler code, Address from);
    }

    private static InstructionForm prefetch(String name, Prefetch instruction) {
        return new InstructionForm(name, (code, random) -> {
            Address from = random.address(false);
            instruction.write(code, from);
            return name + " " + text(from);
        });
    }

    private interface Nothing {
        void write(Assembler code);
    }

    private static InstructionForm alone(String name, Nothing instruction) {
        return new InstructionForm(name, (code, random) -> {
            instruction.write(code);
            return name;
        });
    }

    private interface Jump {
        void write(Assembler code, Label to);
    }

    /** A jump back over a random number of returns, which are one byte each. */
    private static InstructionForm jump(String name, Jump instruction) {
        return new InstructionForm(name, (code, random) -> {
            Label label = new Label();
            int distance = random.number(200);
            boolean forward = random.chance(50);
            if (forward) {
                instruction.write(code, label);
            } else {
                code.bind(label);
            }
            for (int i = 0; i < distance; i++) {
                code.ret();
            }
            if (forward) {
                code.bind(label);
                return "{disp32} " + name + " 1f; .fill " + distance + ", 1, 0xC3; 1:";
            }
            instruction.write(code, label);
            return "1: .fill " + distance + ", 1, 0xC3; " + name + " 1b";
        });
    }

    private static List<InstructionForm> fixed() {
        return List.of(
                alone("ret", Assembler::ret),
                alone("cpuid", Assembler::cpuid),
                alone("xgetbv", Assembler::xgetbv),
                alone("vzeroupper", Assembler::vzeroupper),
                jump("jmp", Assembler::jmp),
                jump("jz", Assembler::jz),
                jump("jnz", Assembler::jnz),
                jump("jb", Assembler::jb),
                jump("jae", Assembler::jae));
    }

    private static List<InstructionForm> arithmetic() {
        return List.of(
                three("vaddps", Kind.FULL, Assembler::vaddps),
                three("vsubps", Kind.FULL, Assembler::vsubps),
                three("vmulps", Kind.FULL, Assembler::vmulps),
                three("vdivps", Kind.FULL, Assembler::vdivps),
                three("vmaxps", Kind.FULL, Assembler::vmaxps),
                three("vminps", Kind.FULL, Assembler::vminps),
                three("vxorps", Kind.FULL, Assembler::vxorps),
                three("vfmadd231ps", Kind.FULL, Assembler::vfmadd231ps),
                three("vfmadd213ps", Kind.FULL, Assembler::vfmadd213ps),
                three("vfnmadd231ps", Kind.FULL, Assembler::vfnmadd231ps),
                three("vpaddd", Kind.FULL, Assembler::vpaddd),
                three("vpsubd", Kind.FULL, Assembler::vpsubd),
                three("vpmulld", Kind.FULL, Assembler::vpmulld),
                three("vpmaxsd", Kind.FULL, Assembler::vpmaxsd),
                three("vpmaxud", Kind.FULL, Assembler::vpmaxud),
                three("vpminsd", Kind.FULL, Assembler::vpminsd),
                three("vpandd", Kind.FULL, Assembler::vpandd),
                three("vpord", Kind.FULL, Assembler::vpord),
                three("vpxord", Kind.FULL, Assembler::vpxord),
                three("vpandnd", Kind.FULL, Assembler::vpandnd),
                three("vpand", Kind.VEX, Assembler::vpand),
                three("vpor", Kind.VEX, Assembler::vpor),
                three("vpxor", Kind.VEX, Assembler::vpxor),
                three("vpaddb", Kind.WHOLE, Assembler::vpaddb),
                three("vpsubb", Kind.WHOLE, Assembler::vpsubb),
                three("vpaddw", Kind.WHOLE, Assembler::vpaddw),
                three("vpmaddwd", Kind.WHOLE, Assembler::vpmaddwd),
                three("vpmaddubsw", Kind.WHOLE, Assembler::vpmaddubsw),
                three("vpshufb", Kind.WHOLE, Assembler::vpshufb),
                three("vpunpckldq", Kind.FULL, Assembler::vpunpckldq),
                three("vpunpckhdq", Kind.FULL, Assembler::vpunpckhdq),
                three("vpunpcklqdq", Kind.WHOLE, 64, Assembler::vpunpcklqdq),
                three("vpunpckhqdq", Kind.WHOLE, 64, Assembler::vpunpckhqdq),
                three("vpdpbusd", Kind.FULL, Assembler::vpdpbusd),
                three("vpdpbusdVex", "{vex} vpdpbusd", Kind.VEX, 16, Assembler::vpdpbusdVex),
                three("vpsignb", Kind.VEX, Assembler::vpsignb),
                three("vpackusdw", Kind.FULL, Assembler::vpackusdw),
                three("vpackuswb", Kind.WHOLE, Assembler::vpackuswb),
                three("vpdpwssd", Kind.FULL, Assembler::vpdpwssd),
                three("vdpbf16ps", Kind.FULL, Assembler::vdpbf16ps),
                three("vpermb", Kind.WHOLE, Assembler::vpermb),
                three("vpermt2d", Kind.FULL, Assembler::vpermt2d),
                three("vpermd", Kind.FULL, 32, Assembler::vpermd),
                threeImmediate("vpternlogd", Kind.FULL, 16, Assembler::vpternlogd),
                threeImmediate("vshufi32x4", Kind.FULL, 32, Assembler::vshufi32x4));
    }

    private static List<InstructionForm> moves() {
        return List.of(
                two("{load} ", "vmovups", Kind.WHOLE, 1, Assembler::vmovups),
                two("vpabsb", Kind.WHOLE, Assembler::vpabsb),
                two("vmovdqu8", Kind.WHOLE, Assembler::vmovdqu8),
                two("vcvtdq2ps", Kind.FULL, Assembler::vcvtdq2ps),
                two("vcvtps2dq", Kind.FULL, Assembler::vcvtps2dq),
                two("", "vcvtph2ps", Kind.WHOLE, 2, Assembler::vcvtph2ps),
                two("", "vpmovzxbd", Kind.WHOLE, 4, Assembler::vpmovzxbd),
                two("", "vpmovsxbd", Kind.WHOLE, 4, Assembler::vpmovsxbd),
                two("", "vpmovzxbw", Kind.WHOLE, 2, Assembler::vpmovzxbw),
                two("", "vpmovzxwd", Kind.WHOLE, 2, Assembler::vpmovzxwd),
                load("vpbroadcastd", 16, Assembler::vpbroadcastd),
                load("vbroadcasti32x4", 32, Assembler::vbroadcasti32x4),
                fromGp("vpbroadcastd", Assembler::vpbroadcastd, "d"),
                fromGp("vpbroadcastb", Assembler::vpbroadcastb, "d"),
                store("vmovups", 16, "", Assembler::vmovups),
                store("vmovdqu8", 16, "", Assembler::vmovdqu8),
                store("vpmovdb", 16, "", Assembler::vpmovdb),
                store("vcvtps2ph", 16, ", 0", Assembler::vcvtps2ph),
                immediate("vpsrld", 32, Assembler::vpsrld),
                immediate("vpsrad", 32, Assembler::vpsrad),
                immediate("vpslld", 32, Assembler::vpslld),
                immediate("vpshufd", 256, Assembler::vpshufd));
    }

    private static List<InstructionForm> rest() {
        return List.of(
                new InstructionForm("vmovups", (code, random) -> {
                    Address to = random.address(false);
                    Mask mask = random.mask();
                    Zmm from = new Zmm(random.register(true));
                    code.vmovups(to, mask, from);
                    return "vmovups " + text(to) + "{" + text(mask) + "}, " + text((VectorRegister<?>) from);
                }),
                new InstructionForm("vmovd", (code, random) -> {
                    Address to = random.address(false);
                    Xmm from = new Xmm(random.register(true));
                    code.vmovd(to, from);
                    return "vmovd " + text(to) + ", " + text((VectorRegister<?>) from);
                }),
                new InstructionForm("vmovd", (code, random) -> {
                    Address from = random.address(false);
                    Xmm to = new Xmm(random.register(true));
                    code.vmovd(to, from);
                    return "vmovd " + text((VectorRegister<?>) to) + ", " + text(from);
                }),
                fromXmm("vpbroadcastd", Assembler::vpbroadcastd),
                new InstructionForm("vmovd", (code, random) -> {
                    Xmm to = new Xmm(random.register(true));
                    Gp from = random.gp();
                    code.vmovd(to, from);
                    return "vmovd " + text((VectorRegister<?>) to) + ", " + narrow(from, "d");
                }),
                new InstructionForm("vcvtps2ph", (code, random) -> {
                    Xmm to = new Xmm(random.register(true));
                    Xmm from = new Xmm(random.register(true));
                    code.vcvtps2ph(to, from);
                    return "vcvtps2ph " + text((VectorRegister<?>) to) + ", " + text((VectorRegister<?>) from) + ", 0";
                }),
                new InstructionForm("vextracti64x4", (code, random) -> {
                    Ymm to = new Ymm(random.register(true));
                    Zmm from = new Zmm(random.register(true));
                    int half = random.number(2);
                    code.vextracti64x4(to, from, half);
                    return "vextracti64x4 " + text((VectorRegister<?>) to) + ", " + text((VectorRegister<?>) from)
                            + ", " + half;
                }),
                new InstructionForm("vextracti128", (code, random) -> {
                    Xmm to = new Xmm(random.register(false));
                    Ymm from = new Ymm(random.register(false));
                    int half = random.number(2);
                    code.vextracti128(to, from, half);
                    return "vextracti128 " + text((VectorRegister<?>) to) + ", " + text((VectorRegister<?>) from) + ", "
                            + half;
                }),
                new InstructionForm("vptestmb", (code, random) -> {
                    Mask to = random.mask();
                    Zmm a = new Zmm(random.register(true));
                    Operand b = random.chance(50) ? new Zmm(random.register(true)) : random.address(false);
                    code.vptestmb(to, a, b);
                    return "vptestmb " + text(to) + ", " + text((VectorRegister<?>) a) + ", " + text(b, 64);
                }),
                new InstructionForm("kmovq", (code, random) -> {
                    Mask to = random.mask();
                    Gp from = random.gp();
                    code.kmovq(to, from);
                    return "kmovq " + text(to) + ", " + text(from);
                }));
    }
}
