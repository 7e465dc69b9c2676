package dev.stowage.bench.ggml;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.UnaryFunction;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Which number stands for which function of {@code UNARY} and {@code GLU} in the library that is loaded, found by
 * having it make a node with each: the number is the node's first parameter.
 */
final class GgmlFunctionCodes {

    private final Map<UnaryFunction, Integer> unary = new EnumMap<>(UnaryFunction.class);
    private final Map<GluFunction, Integer> glu = new EnumMap<>(GluFunction.class);

    GgmlFunctionCodes(GgmlFunctions functions) {
        try (GgmlCalls calls = new GgmlCalls(functions)) {
            GgmlTensor a = calls.leaf(ElementType.F32, 2);
            for (UnaryFunction function : UnaryFunction.values()) {
                GgmlTensor node = function == UnaryFunction.XIELU
                        ? calls.make("ggml_xielu", a, 1f, 1f, 1f, 1f)
                        : calls.make("ggml_" + function.name().toLowerCase(Locale.ROOT), a);
                unary.put(function, node.parameters().get(JAVA_INT, 0));
            }
            for (GluFunction function : GluFunction.values()) {
                GgmlTensor node = function == GluFunction.SWIGLU_OAI
                        ? calls.make("ggml_swiglu_oai", a, a, 1f, 1f)
                        : calls.make("ggml_" + function.name().toLowerCase(Locale.ROOT), a);
                glu.put(function, node.parameters().get(JAVA_INT, 0));
            }
        }
    }

    int code(UnaryFunction function) {
        return Objects.requireNonNull(unary.get(function));
    }

    int code(GluFunction function) {
        return Objects.requireNonNull(glu.get(function));
    }
}
