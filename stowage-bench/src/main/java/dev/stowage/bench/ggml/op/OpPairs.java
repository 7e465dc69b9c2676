package dev.stowage.bench.ggml.op;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.stowage.bench.ggml.GgmlCalls;
import dev.stowage.bench.ggml.GgmlLibrary;
import dev.stowage.bench.ggml.GgmlOpParameters;
import dev.stowage.bench.ggml.GgmlOps;
import dev.stowage.bench.ggml.GgmlTensor;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Ops made twice, by our builder and by ggml's own functions, and compared: what they are, what they read, and the
 * parameters as they would be written into a mirror. Differences are collected.
 */
final class OpPairs implements AutoCloseable {

    /** A leaf on both sides. */
    record Pair(Tensor ours, GgmlTensor theirs) implements GgmlCalls.Operand {}

    private final GraphBuilder builder = new GraphBuilder();
    private final GgmlOps ops;
    private final GgmlOpParameters parameters;
    private final GgmlCalls calls;
    private final GgmlTensor scratch;
    private final List<String> differences = new ArrayList<>();
    private int compared;

    OpPairs(GgmlLibrary library) {
        this.ops = library.ops();
        this.parameters = library.opParameters();
        this.calls = new GgmlCalls(library.functions());
        this.scratch = calls.leaf(ElementType.F32, 1);
    }

    /** Our side. */
    GraphBuilder builder() {
        return builder;
    }

    Pair leaf(ElementType type, long... dimensions) {
        return new Pair(builder.tensor(type, dimensions), calls.leaf(type, dimensions));
    }

    Pair f32(long... dimensions) {
        return leaf(ElementType.F32, dimensions);
    }

    Pair f16(long... dimensions) {
        return leaf(ElementType.F16, dimensions);
    }

    Pair i32(long... dimensions) {
        return leaf(ElementType.I32, dimensions);
    }

    /** Compares a node of ours with what a function of ggml makes of the same arguments. */
    void same(Tensor ours, String function, Object... arguments) {
        same(ours, calls.make(function, arguments));
    }

    /** What a function of ggml makes, for those that need a second call to get all their parameters. */
    GgmlTensor make(String function, Object... arguments) {
        return calls.make(function, arguments);
    }

    /** A tensor of ggml's changed by a function that returns nothing. */
    GgmlTensor change(GgmlTensor tensor, String function, Object... arguments) {
        return calls.change(tensor, function, arguments);
    }

    void same(Tensor ours, GgmlTensor theirs) {
        compared++;
        expect(ours, "op", ops.code(ours.op()), theirs.op());
        expect(ours, "type", ours.type().code(), theirs.type());
        for (int i = 0; i < Shape.RANK; i++) {
            expect(ours, "dimension " + i, ours.dim(i), theirs.dimension(i));
            expect(ours, "stride " + i, ours.stride(i), theirs.stride(i));
        }
        for (int slot = 0; slot < GgmlTensor.MAX_SOURCES; slot++) {
            expect(ours, "source " + slot, source(ours, slot), source(theirs, slot));
        }
        expect(ours, "being a view", ours.isView(), !theirs.viewSource().equals(MemorySegment.NULL));
        expect(ours, "view offset", ours.viewOffset(), theirs.viewOffset());
        parameters.write(ours, scratch);
        expect(ours, "parameters", words(scratch), words(theirs));
    }

    /** Whether there is a source, and whether it is the tensor itself, as in a cast. */
    private static String source(Tensor tensor, int slot) {
        return tensor.hasSource(slot) ? (isItself(tensor, slot) ? "itself" : "another") : "none";
    }

    @SuppressWarnings("ReferenceEquality") // the same tensor is meant, not one like it
    private static boolean isItself(Tensor tensor, int slot) {
        return tensor.source(slot) == tensor;
    }

    private static String source(GgmlTensor tensor, int slot) {
        MemorySegment source = tensor.source(slot);
        return source.equals(MemorySegment.NULL) ? "none" : tensor.isAt(source) ? "itself" : "another";
    }

    private static String words(GgmlTensor tensor) {
        return Arrays.toString(tensor.parameters().toArray(JAVA_INT));
    }

    private void expect(Tensor tensor, String what, Object ours, Object theirs) {
        if (!Objects.equals(ours, theirs)) {
            differences.add(tensor.describe() + " with " + tensor.parameters() + ": " + what + " is " + ours
                    + " here and " + theirs + " in ggml");
        }
    }

    /** How many ops were compared. */
    int compared() {
        return compared;
    }

    /** What was different, one line each. */
    List<String> differences() {
        return List.copyOf(differences);
    }

    @Override
    public void close() {
        calls.close();
    }
}
