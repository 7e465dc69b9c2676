package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.kernel.codec.RowDecoder;
import dev.stowage.tensor.ElementType;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Reports, once for each type, that weights of it are decoded element by element, which takes most of the time of a product. */
final class SlowWeights {

    private static final System.Logger LOGGER = System.getLogger("dev.stowage.cpu");

    /** What all products of this process report to. */
    static final SlowWeights LOGGED = new SlowWeights(message -> LOGGER.log(System.Logger.Level.WARNING, message));

    private final Consumer<String> listener;
    private final Set<ElementType> reported = ConcurrentHashMap.newKeySet();

    SlowWeights(Consumer<String> listener) {
        this.listener = listener;
    }

    /** Reports a type that has no vector code, the first time it is named. */
    void use(ElementType type) {
        if (!RowDecoder.hasVectorCode(type) && reported.add(type)) {
            listener.accept("there is no fast kernel for weights of the type " + type
                    + ": their products are right, and slow; for speed take a file of Q4_0, Q4_K_M or Q8_0");
        }
    }
}
