package dev.stowage.testkit.op;

import dev.stowage.tensor.Tensor;
import java.util.StringJoiner;

/** Puts the name of a case together from what it computes. */
final class CaseName {

    private CaseName() {}

    static String of(Tensor subject, String note) {
        StringBuilder name = new StringBuilder(subject.op().name());
        if (!note.isEmpty()) {
            name.append(' ').append(note);
        }
        StringJoiner operands = new StringJoiner(" x ", " ", "").setEmptyValue("");
        for (int slot = 0; slot < subject.sourceCount(); slot++) {
            operands.add(subject.hasSource(slot) ? operand(subject.source(slot)) : "none");
        }
        name.append(operands);
        if (subject.isView() && !subject.op().isViewOp()) {
            name.append(" in place");
        }
        return name.toString();
    }

    private static String operand(Tensor operand) {
        String place = operand.viewOffset() > 0 ? "+" + operand.viewOffset() : "";
        return operand.layout() + place;
    }
}
