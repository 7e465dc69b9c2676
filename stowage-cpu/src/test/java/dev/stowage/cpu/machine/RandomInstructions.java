package dev.stowage.cpu.machine;

import java.util.ArrayList;
import java.util.List;

/** Some hundred random instructions of one form: lines for GNU's assembler, and the code of ours. */
record RandomInstructions(InstructionForm form, List<String> lines, List<byte[]> codes) {

    private static final int COUNT = 500;

    /** Those of all forms, always the same. */
    static List<RandomInstructions> all() {
        List<RandomInstructions> all = new ArrayList<>();
        for (InstructionForm form : InstructionForms.ALL) {
            RandomOperands random = new RandomOperands(all.size());
            List<String> lines = new ArrayList<>();
            List<byte[]> codes = new ArrayList<>();
            for (int i = 0; i < COUNT; i++) {
                Assembler assembler = new Assembler();
                lines.add(form.writer().write(assembler, random));
                codes.add(assembler.toBytes());
            }
            all.add(new RandomInstructions(form, lines, codes));
        }
        return all;
    }
}
