package dev.stowage.testkit.op;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Makes the operands of a {@link CaseFactory} and records how each is to be filled, what is special
 * about the case, and how exact its result must be.
 */
final class Operands {

    private final GraphBuilder builder = new GraphBuilder();
    private final List<Input> inputs = new ArrayList<>();
    private final SplittableRandom random;
    private String note = "";
    private double maxError = Double.NaN;
    private boolean rowsAreSets;
    private boolean inGgml = true;

    Operands(long seed) {
        this.random = new SplittableRandom(seed);
    }

    /** The op functions. */
    GraphBuilder b() {
        return builder;
    }

    /** An input of gaussian numbers. */
    Tensor of(ElementType type, long... dimensions) {
        return filled(Fill.gaussian(1), type, dimensions);
    }

    /** An f32 input of gaussian numbers. */
    Tensor f32(long... dimensions) {
        return of(ElementType.F32, dimensions);
    }

    /** An operand of gaussian numbers in that layout. */
    Tensor formed(OperandLayout layout, ElementType type, long... dimensions) {
        return formed(layout, Fill.gaussian(1), type, dimensions);
    }

    /** An operand in that layout. */
    Tensor formed(OperandLayout layout, Fill fill, ElementType type, long... dimensions) {
        return layout.of(builder, (t, shape) -> leaf(fill, t, shape), type, Shape.of(dimensions));
    }

    /** An input with numbers of the caller's choice. */
    Tensor filled(Fill fill, ElementType type, long... dimensions) {
        return leaf(fill, type, Shape.of(dimensions));
    }

    private Tensor leaf(Fill fill, ElementType type, Shape shape) {
        Tensor leaf = builder.tensor(type, shape.d0(), shape.d1(), shape.d2(), shape.d3());
        leaf.named(Character.toString('a' + inputs.size())).asInput();
        inputs.add(new Input(leaf, fill));
        return leaf;
    }

    /** What the operands alone do not show, for the name of the case; added to what was noted before. */
    Operands note(String newNote) {
        note = note.isEmpty() ? newNote : note + " " + newNote;
        return this;
    }

    /** The result must be exactly the reference's. */
    Operands exact() {
        return within(0);
    }

    /** The error that is allowed, instead of what the types suggest. */
    Operands within(double newMaxError) {
        maxError = newMaxError;
        return this;
    }

    /** The elements of a row of the result may come in any order. */
    Operands inAnyOrder() {
        rowsAreSets = true;
        return this;
    }

    /** This is right for every backend, but ggml's CPU code does not take it. */
    Operands notInGgml() {
        inGgml = false;
        return this;
    }

    /** A whole number from {@code from} to {@code to}, both included. */
    int between(int from, int to) {
        return from + random.nextInt(to - from + 1);
    }

    /** A whole number from 1 to {@code most}, often one of the edges of what vectors hold. */
    int size(int most) {
        int[] edges = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129};
        int size = random.nextBoolean() ? edges[random.nextInt(edges.length)] : between(1, most);
        return Math.min(size, most);
    }

    boolean coin() {
        return random.nextBoolean();
    }

    /** One of these. */
    @SafeVarargs
    final <T> T oneOf(T... choices) {
        return choices[random.nextInt(choices.length)];
    }

    List<Input> inputs() {
        return inputs;
    }

    String note() {
        return note;
    }

    boolean rowsAreSets() {
        return rowsAreSets;
    }

    boolean inGgml() {
        return inGgml;
    }

    /** The error allowed for that result: what was said, or else what the types suggest. */
    double maxError(Tensor result) {
        if (!Double.isNaN(maxError)) {
            return maxError;
        }
        double error = errorOf(result.type());
        for (Input input : inputs) {
            error = Math.max(error, errorOf(input.tensor().type()));
        }
        return error;
    }

    private static double errorOf(ElementType type) {
        return switch (type) {
            case F16 -> Tolerances.F16;
            case BF16 -> Tolerances.BF16;
            case F32, F64, I8, I16, I32, I64 -> Tolerances.F32;
            default -> Tolerances.QUANTIZED;
        };
    }

    /** One input and how it is filled. */
    record Input(Tensor tensor, Fill fill) {}
}
