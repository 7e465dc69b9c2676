package dev.stowage.testkit.op;

import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static dev.stowage.tensor.ElementType.I32;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters.Rope;
import dev.stowage.tensor.RopeFrequencies;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.RopeSections;
import dev.stowage.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** Rotary positions in every mode, forward and back, and relative positions of images. */
final class PositionCases {

    private static final RopeFrequencies YARN = new RopeFrequencies(512, 10000f, 0.5f, 0.7465f, 1.4245f, 32f, 1f);

    private PositionCases() {}

    static void addTo(CaseList cases) {
        rope(cases, Op.ROPE);
        rope(cases, Op.ROPE_BACK);
        relative(cases);
    }

    private static void rope(CaseList cases, Op op) {
        for (RopeMode mode : RopeMode.values()) {
            for (ElementType type : new ElementType[] {F32, F16}) {
                cases.add(op, o -> turned(o, op, o.of(type, 32, 3, 5, 2), whole(mode, 32), false));
            }
            cases.add(op, o -> turned(o, op, o.formed(OperandLayout.CUT, F32, 32, 3, 5), whole(mode, 32), false));
            cases.add(op, o -> turned(o, op, o.formed(OperandLayout.PERMUTED, F32, 32, 3, 5), whole(mode, 32), false));
            cases.add(
                    op,
                    o -> turned(
                            o.note("YaRN"), op, o.f32(32, 2, 4), whole(mode, 32).withFrequencies(YARN), false));
            cases.add(op, o -> turned(o, op, o.f32(32, 2, 4), whole(mode, 32), true));
            if (mode != RopeMode.VISION) {
                cases.add(op, o -> turned(o, op, o.f32(48, 2, 4), whole(mode, 32), false));
                cases.add(
                        op,
                        o -> turned(
                                o.note("offset 8"),
                                op,
                                o.f32(48, 2, 4),
                                whole(mode, 32).withOffset(8),
                                false));
            }
        }
        cases.add(
                op,
                o -> turned(
                        o.note("base 500000"),
                        op,
                        o.f32(64, 1, 3),
                        Rope.of(64, RopeMode.NORMAL).withFrequencies(RopeFrequencies.of(500000f, 0.25f)),
                        false));
        cases.add(op, o -> turned(o, op, o.f32(2, 1, 1), Rope.of(2, RopeMode.NEOX), false));
        if (op == Op.ROPE) {
            cases.add(
                    op,
                    o -> o.note("NEOX 32")
                            .b()
                            .ropeInplace(o.f32(32, 3, 5), positions(o, 5), null, Rope.of(32, RopeMode.NEOX)));
            cases.add(
                    op,
                    o -> o.note("NORMAL 16")
                            .b()
                            .ropeInplace(
                                    o.formed(OperandLayout.CUT, F32, 24, 3, 5),
                                    positions(o, 5),
                                    null,
                                    Rope.of(16, RopeMode.NORMAL)));
        }
        cases.random(op, o -> {
            RopeMode mode = o.oneOf(RopeMode.values());
            int length = 8 * o.between(1, 12);
            int turned = mode == RopeMode.VISION || o.coin() ? length : 8 * o.between(1, length / 8);
            Rope rope = whole(mode, turned);
            if (o.coin()) {
                o.note("YaRN");
                rope = rope.withFrequencies(YARN);
            }
            Tensor a = o.formed(
                    o.oneOf(OperandLayout.PLAIN, OperandLayout.CUT, OperandLayout.PERMUTED),
                    o.oneOf(F32, F16),
                    length,
                    o.between(1, 5),
                    o.size(12),
                    o.between(1, 2));
            return turned(o, op, a, rope, o.coin());
        });
    }

    /** A rotation of {@code length} elements, with sections that fill them where the mode has sections. */
    private static Rope whole(RopeMode mode, int length) {
        // In this mode half of a row is named, since each position rotates its own half.
        int dimensions = mode == RopeMode.VISION ? length / 2 : length;
        int quarter = Math.max(1, length / 8);
        Rope rope = Rope.of(dimensions, mode);
        return switch (mode) {
            case NORMAL, NEOX -> rope;
            case MROPE, IMROPE -> rope.withSections(new RopeSections(quarter, quarter, Math.max(1, quarter / 2), 0));
            case VISION -> rope.withSections(new RopeSections(length / 4, length / 4, 0, 0));
        };
    }

    private static Tensor turned(Operands o, Op op, Tensor a, Rope rope, boolean hasFactors) {
        o.note(rope.mode() + " " + rope.dimensions());
        long perToken = rope.mode().usesSections() ? 4 : 1;
        Tensor positions = positions(o, a.dim(2) * perToken);
        @Nullable Tensor factors = hasFactors ? o.filled(Fill.uniform(0.9, 1.4), F32, a.dim(0) / 2) : null;
        if (rope.frequencies().equals(YARN)) {
            o.within(Tolerances.TABLE);
        }
        return op == Op.ROPE ? o.b().rope(a, positions, factors, rope) : o.b().ropeBack(a, positions, factors, rope);
    }

    private static Tensor positions(Operands o, long count) {
        return o.filled(Fill.numbers(200), I32, count);
    }

    private static void relative(CaseList cases) {
        cases.add(Op.GET_REL_POS, o -> o.exact().b().getRelPos(o.of(F16, 8, 9), 5, 5));
        cases.add(Op.GET_REL_POS, o -> o.exact().b().getRelPos(o.of(F16, 1, 1), 1, 1));
        cases.add(Op.GET_REL_POS, o -> o.exact().b().getRelPos(o.of(F16, 33, 27), 14, 14));
        cases.random(Op.GET_REL_POS, o -> {
            int size = o.size(16);
            return o.exact().b().getRelPos(o.of(F16, o.size(40), 2L * size - 1), size, size);
        });
        cases.add(Op.ADD_REL_POS, o -> added(o, 3, 4, 5, 2, false));
        cases.add(Op.ADD_REL_POS, o -> added(o, 3, 4, 5, 2, true));
        cases.add(Op.ADD_REL_POS, o -> added(o, 1, 1, 1, 1, false));
        cases.add(Op.ADD_REL_POS, o -> added(o, 5, 2, 2, 6, false));
        cases.random(
                Op.ADD_REL_POS,
                o -> added(o, o.between(1, 6), o.between(1, 5), o.between(1, 5), o.between(1, 4), o.coin()));
    }

    private static Tensor added(Operands o, long n, long w, long h, long heads, boolean inPlace) {
        Tensor a = o.f32(n * n, w * h, heads);
        Tensor horizontal = o.f32(n, w, h, heads);
        Tensor vertical = o.f32(n, w, h, heads);
        return inPlace ? o.b().addRelPosInplace(a, horizontal, vertical) : o.b().addRelPos(a, horizontal, vertical);
    }
}
