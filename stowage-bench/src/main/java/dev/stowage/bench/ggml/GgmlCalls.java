package dev.stowage.bench.ggml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.stowage.error.MalformedDataException;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes tensors through ggml's own op functions, called by name with arguments whose C types follow from their Java
 * types. For checks only: a wrong call ends the process, and each call looks its function up anew.
 */
public final class GgmlCalls implements AutoCloseable {

    /** An argument that stands for a tensor inside ggml. */
    public interface Operand {
        /** The tensor inside ggml. */
        GgmlTensor theirs();
    }

    private static final long ROOM = 1 << 20;

    /** Stands for an operand that is left out. */
    public static final MemorySegment NOTHING = MemorySegment.NULL;

    private final GgmlFunctions functions;
    private final MemorySegment context;
    private final Arena arena = Arena.ofConfined();

    public GgmlCalls(GgmlFunctions functions) {
        this.functions = functions;
        this.context = functions.newContext(ROOM);
    }

    /** A leaf without gaps. */
    public GgmlTensor leaf(ElementType type, long... dimensions) {
        return functions.newTensor(context, type.code(), dimensions);
    }

    /** What an op function makes; the context goes before the arguments. */
    public GgmlTensor make(String function, Object... arguments) {
        List<Object> all = new ArrayList<>(List.of(arguments));
        all.addFirst(context);
        return GgmlTensor.at((MemorySegment) call(function, ADDRESS, all));
    }

    /** Changes a tensor by a function that returns nothing, such as those that set one more parameter. */
    public GgmlTensor change(GgmlTensor tensor, String function, Object... arguments) {
        List<Object> all = new ArrayList<>(List.of(arguments));
        all.addFirst(tensor);
        Object _ = call(function, null, all);
        return tensor;
    }

    private Object call(String function, @Nullable MemoryLayout result, List<Object> arguments) {
        MemoryLayout[] types = new MemoryLayout[arguments.size()];
        Object[] values = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            values[i] = value(arguments.get(i));
            types[i] = type(values[i]);
        }
        try {
            return functions.library().function(function, result, types).invokeWithArguments(values);
        } catch (MalformedDataException e) {
            throw e;
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    private Object value(Object argument) {
        return switch (argument) {
            case Operand operand -> operand.theirs().struct();
            case GgmlTensor tensor -> tensor.struct();
            case int[] array -> arena.allocateFrom(JAVA_INT, array);
            default -> argument;
        };
    }

    private static MemoryLayout type(Object value) {
        return switch (value) {
            case MemorySegment _ -> ADDRESS;
            case Integer _ -> JAVA_INT;
            case Long _ -> JAVA_LONG;
            case Float _ -> JAVA_FLOAT;
            case Boolean _ -> JAVA_BOOLEAN;
            default -> throw new IllegalArgumentException("no C type for " + value);
        };
    }

    @Override
    public void close() {
        functions.freeContext(context);
        arena.close();
    }
}
