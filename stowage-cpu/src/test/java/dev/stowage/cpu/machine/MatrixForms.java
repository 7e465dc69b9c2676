package dev.stowage.cpu.machine;

import static dev.stowage.cpu.machine.RandomOperands.text;

import java.util.List;

/** The instructions of {@link MatrixAssembler}. */
final class MatrixForms {

    private MatrixForms() {}

    static List<InstructionForm> all() {
        return List.of(
                configuration("ldtilecfg", Assembler::ldtilecfg),
                configuration("sttilecfg", Assembler::sttilecfg),
                new InstructionForm("tilerelease", (code, random) -> {
                    code.tilerelease();
                    return "tilerelease";
                }),
                new InstructionForm("tilezero", (code, random) -> {
                    Tmm to = matrix(random);
                    code.tilezero(to);
                    return "tilezero " + name(to);
                }),
                load("tileloadd", Assembler::tileloadd),
                load("tileloaddt1", Assembler::tileloaddt1),
                new InstructionForm("tilestored", (code, random) -> {
                    Address to = random.indexedAddress();
                    Tmm from = matrix(random);
                    code.tilestored(to, from);
                    return "tilestored " + text(to) + ", " + name(from);
                }),
                product("tdpbssd", Assembler::tdpbssd),
                product("tdpbsud", Assembler::tdpbsud),
                product("tdpbusd", Assembler::tdpbusd),
                product("tdpbuud", Assembler::tdpbuud),
                product("tdpbf16ps", Assembler::tdpbf16ps));
    }

    private interface Configuration {
        void write(Assembler code, Address address);
    }

    private interface Load {
        void write(Assembler code, Tmm to, Address from);
    }

    private interface Product {
        void write(Assembler code, Tmm to, Tmm a, Tmm b);
    }

    private static InstructionForm configuration(String name, Configuration instruction) {
        return new InstructionForm(name, (code, random) -> {
            Address address = random.address(false);
            instruction.write(code, address);
            return name + " " + text(address);
        });
    }

    private static InstructionForm load(String name, Load instruction) {
        return new InstructionForm(name, (code, random) -> {
            Tmm to = matrix(random);
            Address from = random.indexedAddress();
            instruction.write(code, to, from);
            return name + " " + name(to) + ", " + text(from);
        });
    }

    private static InstructionForm product(String name, Product instruction) {
        return new InstructionForm(name, (code, random) -> {
            int to = random.number(Tmm.COUNT);
            int a = (to + 1 + random.number(Tmm.COUNT - 2)) % Tmm.COUNT;
            int b = random.number(Tmm.COUNT);
            while (b == to || b == a) {
                b = random.number(Tmm.COUNT);
            }
            instruction.write(code, new Tmm(to), new Tmm(a), new Tmm(b));
            return name + " " + name(new Tmm(to)) + ", " + name(new Tmm(a)) + ", " + name(new Tmm(b));
        });
    }

    private static Tmm matrix(RandomOperands random) {
        return new Tmm(random.number(Tmm.COUNT));
    }

    private static String name(Tmm register) {
        return "tmm%d".formatted(register.number());
    }
}
