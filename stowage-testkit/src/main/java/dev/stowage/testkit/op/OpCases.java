package dev.stowage.testkit.op;

import dev.stowage.tensor.Op;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * The cases of every op that a graph can be built of: a fixed list of representative types, shapes, strides and
 * broadcasts, and as many random ones as are wanted.
 */
public final class OpCases {

    private static final CaseList CASES = new CaseList();

    static {
        ElementwiseCases.addTo(CASES);
        UnaryCases.addTo(CASES);
        GluCases.addTo(CASES);
        NormCases.addTo(CASES);
        ReductionCases.addTo(CASES);
        RowCases.addTo(CASES);
        CopyCases.addTo(CASES);
        ShapeCases.addTo(CASES);
        GeneratorCases.addTo(CASES);
        MatrixCases.addTo(CASES);
        AttentionCases.addTo(CASES);
        PositionCases.addTo(CASES);
        WindowCases.addTo(CASES);
        ImageCases.addTo(CASES);
        RecurrentCases.addTo(CASES);
        HyperConnectionCases.addTo(CASES);
        CustomCases.addTo(CASES);
    }

    private OpCases() {}

    /** The fixed cases of all ops. */
    public static List<OpCase> all() {
        return ops().stream().map(OpCases::of).flatMap(List::stream).toList();
    }

    /** The fixed cases of an op; none for an op that no op function makes. */
    public static List<OpCase> of(Op op) {
        return CASES.fixed(op);
    }

    /** Random cases of an op, the same ones for the same seed; none for an op that no op function makes. */
    public static List<OpCase> random(Op op, long seed, int count) {
        return CASES.drawn(op, seed, count);
    }

    /** The ops there are cases for. */
    public static List<Op> ops() {
        return Stream.of(Arrays.asList(Op.values()))
                .flatMap(List::stream)
                .filter(op -> !of(op).isEmpty())
                .toList();
    }
}
