package dev.stowage.testkit.op;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Device;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.tensor.Op;
import org.junit.jupiter.api.Test;

class OpRunTest {

    private static final Device REFERENCE = new ReferenceProvider().devices().getFirst();

    private static OpCase named(Op op, String name) {
        return OpCases.of(op).stream()
                .filter(opCase -> opCase.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aSumIsThatOfTheNumbersTheInputsWereFilledWith() {
        OpCase opCase = named(Op.ADD, "ADD f32[16, 5, 3] x f32[16, 5, 3]");
        OpGraph made = opCase.build();
        double[] a = made.valuesOf(0);
        double[] b = made.valuesOf(1);
        double[] expected = new double[a.length];
        for (int i = 0; i < a.length; i++) {
            expected[i] = (float) a[i] + (float) b[i];
        }

        assertThat(Nmse.of(expected, OpRun.on(REFERENCE, opCase)).isWithin(1e-12))
                .isTrue();
    }

    @Test
    void aResultInPlaceIsReadFromItsOperand() {
        OpCase opCase = named(Op.FILL, "FILL with 2 f32[33, 3] in place");

        assertThat(OpRun.on(REFERENCE, opCase)).hasSize(99).containsOnly(2);
    }

    @Test
    void theReferenceRunsEveryCase() {
        assertThat(OpCases.all())
                .allSatisfy(
                        opCase -> assertThat(OpRun.support(REFERENCE, opCase).isSupported())
                                .as(opCase.name())
                                .isTrue());
    }
}
