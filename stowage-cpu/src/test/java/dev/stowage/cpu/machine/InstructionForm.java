package dev.stowage.cpu.machine;

import static dev.stowage.cpu.machine.RandomOperands.text;

import java.util.ArrayList;
import java.util.List;

/**
 * An instruction with all its operands left open: writes a random one with the assembler, and gives the line that GNU's
 * assembler takes for it.
 */
record InstructionForm(String name, Writer writer) {

    interface Writer {
        String write(Assembler code, RandomOperands random);
    }

    interface Three {
        <V extends VectorRegister<V>> void write(Assembler code, Target<V> to, V a, Operand b);
    }

    interface ThreeImmediate {
        <V extends VectorRegister<V>> void write(Assembler code, Target<V> to, V a, Operand b, int value);
    }

    interface Two {
        <V extends VectorRegister<V>> void write(Assembler code, Target<V> to, Operand from);
    }

    interface TwoImmediate {
        <V extends VectorRegister<V>> void write(Assembler code, Target<V> to, Operand from, int value);
    }

    interface Load {
        <V extends VectorRegister<V>> void write(Assembler code, Target<V> to, Address from);
    }

    interface FromGp {
        <V extends VectorRegister<V>> void write(Assembler code, Target<V> to, Gp from);
    }

    interface FromXmm {
        <V extends VectorRegister<V>> void write(Assembler code, Target<V> to, Xmm from);
    }

    interface Store {
        <V extends VectorRegister<V>> void write(Assembler code, Address to, V from);
    }

    interface Scalar {
        void write(Assembler code, Gp to, Gp from);
    }

    interface ScalarImmediate {
        void write(Assembler code, Gp to, int value);
    }

    /** What operands an instruction takes. */
    enum Kind {
        /** AVX-512 and AVX, an element of memory for all lanes. */
        FULL(true, true),
        /** AVX-512 and AVX. */
        WHOLE(true, false),
        /** AVX only. */
        VEX(false, false);

        final boolean evex;
        final boolean broadcast;

        Kind(boolean evex, boolean broadcast) {
            this.evex = evex;
            this.broadcast = broadcast;
        }
    }

    private static VectorRegister<?> register(int bytes, int number) {
        return switch (bytes) {
            case 16 -> new Xmm(number);
            case 32 -> new Ymm(number);
            default -> new Zmm(number);
        };
    }

    private static <V extends VectorRegister<V>> Target<V> target(V register, RandomOperands random, Kind kind) {
        if (!kind.evex || random.chance(50)) {
            return register;
        }
        return random.chance(50) ? register.where(random.mask()) : register.zeroing(random.mask());
    }

    private static int width(RandomOperands random, Kind kind, int least) {
        int width = 16 << random.number(kind.evex ? 3 : 2);
        return Math.max(least, width);
    }

    private static Operand last(RandomOperands random, Kind kind, int bytes) {
        return random.chance(50)
                ? register(bytes, random.register(kind.evex))
                : random.address(kind.broadcast && random.chance(50));
    }

    static InstructionForm three(String name, Kind kind, Three instruction) {
        return three(name, name, kind, 16, instruction);
    }

    static InstructionForm three(String name, Kind kind, int least, Three instruction) {
        return three(name, name, kind, least, instruction);
    }

    /** An instruction whose method is called other than GNU's assembler calls it. */
    static InstructionForm three(String name, String text, Kind kind, int least, Three instruction) {
        return threeImmediate(
                name,
                text,
                kind,
                least,
                new ThreeImmediate() {
                    @Override
                    public <V extends VectorRegister<V>> void write(
                            Assembler code, Target<V> to, V a, Operand b, int value) {
                        instruction.write(code, to, a, b);
                    }
                },
                false);
    }

    static InstructionForm threeImmediate(String name, Kind kind, int least, ThreeImmediate instruction) {
        return threeImmediate(name, name, kind, least, instruction, true);
    }

    private static InstructionForm threeImmediate(
            String name, String text, Kind kind, int least, ThreeImmediate instruction, boolean hasValue) {
        return new InstructionForm(name, (code, random) -> {
            int bytes = width(random, kind, least);
            return threeOf(
                    text, kind, instruction, hasValue, code, random, register(bytes, random.register(kind.evex)));
        });
    }

    private static <V extends VectorRegister<V>> String threeOf(
            String name,
            Kind kind,
            ThreeImmediate instruction,
            boolean hasValue,
            Assembler code,
            RandomOperands random,
            VectorRegister<V> to) {
        V register = to.register();
        Target<V> target = target(register, random, kind);
        V a = same(register, random.register(kind.evex));
        Operand b = last(random, kind, register.bytes());
        int value = random.number(256);
        instruction.write(code, target, a, b, value);
        return name + " " + text(target) + ", " + text(a) + ", " + text(b, register.bytes())
                + (hasValue ? ", " + value : "");
    }

    @SuppressWarnings("unchecked") // the width is that of the register
    private static <V extends VectorRegister<V>> V same(V register, int number) {
        return (V) register(register.bytes(), number);
    }

    static InstructionForm two(String name, Kind kind, Two instruction) {
        return two("", name, kind, 1, instruction);
    }

    /** An instruction whose last operand is a vector {@code narrower} times as narrow as the target. */
    static InstructionForm two(String prefix, String name, Kind kind, int narrower, Two instruction) {
        return new InstructionForm(name, (code, random) -> {
            int bytes = width(random, kind, 16);
            return twoOf(
                    prefix + name,
                    kind,
                    narrower,
                    instruction,
                    code,
                    random,
                    register(bytes, random.register(kind.evex)));
        });
    }

    private static <V extends VectorRegister<V>> String twoOf(
            String name,
            Kind kind,
            int narrower,
            Two instruction,
            Assembler code,
            RandomOperands random,
            VectorRegister<V> to) {
        Target<V> target = target(to.register(), random, kind);
        Operand from = last(random, kind, Math.max(16, to.bytes() / narrower));
        instruction.write(code, target, from);
        return name + " " + text(target) + ", " + text(from, to.bytes());
    }

    /** A shift or shuffle by a constant; without AVX-512 shifts take no memory, which then has the longer encoding. */
    static InstructionForm immediate(String name, int bound, TwoImmediate instruction) {
        return new InstructionForm(name, (code, random) -> {
            int bytes = width(random, Kind.FULL, 16);
            return immediateOf(name, bound, instruction, code, random, register(bytes, random.register(true)));
        });
    }

    private static <V extends VectorRegister<V>> String immediateOf(
            String name,
            int bound,
            TwoImmediate instruction,
            Assembler code,
            RandomOperands random,
            VectorRegister<V> to) {
        Target<V> target = target(to.register(), random, Kind.FULL);
        Operand from = last(random, Kind.FULL, to.bytes());
        int value = random.number(bound);
        instruction.write(code, target, from, value);
        return name + " " + text(target) + ", " + text(from, to.bytes()) + ", " + value;
    }

    static InstructionForm load(String name, int least, Load instruction) {
        return new InstructionForm(
                name,
                (code, random) -> loadOf(
                        name,
                        instruction,
                        code,
                        random,
                        register(width(random, Kind.WHOLE, least), random.register(true))));
    }

    private static <V extends VectorRegister<V>> String loadOf(
            String name, Load instruction, Assembler code, RandomOperands random, VectorRegister<V> to) {
        Target<V> target = target(to.register(), random, Kind.WHOLE);
        Address from = random.address(false);
        instruction.write(code, target, from);
        return name + " " + text(target) + ", " + text(from);
    }

    static InstructionForm fromGp(String name, FromGp instruction, String suffix) {
        return new InstructionForm(
                name,
                (code, random) -> fromGpOf(
                        name,
                        instruction,
                        suffix,
                        code,
                        random,
                        register(width(random, Kind.WHOLE, 16), random.register(true))));
    }

    private static <V extends VectorRegister<V>> String fromGpOf(
            String name,
            FromGp instruction,
            String suffix,
            Assembler code,
            RandomOperands random,
            VectorRegister<V> to) {
        Target<V> target = target(to.register(), random, Kind.WHOLE);
        Gp from = random.gp();
        instruction.write(code, target, from);
        return name + " " + text(target) + ", " + narrow(from, suffix);
    }

    /** An instruction that repeats the first element of a register. */
    static InstructionForm fromXmm(String name, FromXmm instruction) {
        return new InstructionForm(
                name,
                (code, random) -> fromXmmOf(
                        name,
                        instruction,
                        code,
                        random,
                        register(width(random, Kind.WHOLE, 16), random.register(true))));
    }

    private static <V extends VectorRegister<V>> String fromXmmOf(
            String name, FromXmm instruction, Assembler code, RandomOperands random, VectorRegister<V> to) {
        Target<V> target = target(to.register(), random, Kind.WHOLE);
        Xmm from = new Xmm(random.register(true));
        instruction.write(code, target, from);
        return name + " " + text(target) + ", " + text((VectorRegister<?>) from);
    }

    /** The lower 32 bits of a register. */
    static String narrow(Gp register, String suffix) {
        return register.number() < 8 ? "e" + text(register).substring(1) : text(register) + suffix;
    }

    static InstructionForm store(String name, int least, String suffix, Store instruction) {
        return new InstructionForm(
                name,
                (code, random) -> storeOf(
                        name,
                        suffix,
                        instruction,
                        code,
                        random,
                        register(width(random, Kind.WHOLE, least), random.register(true))));
    }

    private static <V extends VectorRegister<V>> String storeOf(
            String name,
            String suffix,
            Store instruction,
            Assembler code,
            RandomOperands random,
            VectorRegister<V> from) {
        Address to = random.address(false);
        instruction.write(code, to, from.register());
        return name + " " + text(to) + ", " + text(from.register()) + suffix;
    }

    static InstructionForm scalar(String name, Scalar instruction) {
        return new InstructionForm(name, (code, random) -> {
            Gp to = random.gp();
            Gp from = random.gp();
            instruction.write(code, to, from);
            return name + " " + text(to) + ", " + text(from);
        });
    }

    static InstructionForm scalarImmediate(String name, ScalarImmediate instruction) {
        return new InstructionForm(name, (code, random) -> {
            Gp to = random.gp();
            int value = (int) random.value();
            instruction.write(code, to, value);
            return name + " " + text(to) + ", " + value;
        });
    }

    static List<InstructionForm> concat(List<List<InstructionForm>> parts) {
        List<InstructionForm> all = new ArrayList<>();
        parts.forEach(all::addAll);
        return List.copyOf(all);
    }
}
