package dev.stowage.cli.option;

import dev.stowage.models.WeightTypes;
import dev.stowage.tensor.ElementType;
import java.util.Iterator;

/** The names of element types that options take, for completion. */
public final class ElementTypeNames {
    private ElementTypeNames() {}

    /** What weights can be. */
    public static final class Weights implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return WeightTypes.weights().stream().map(ElementType::label).iterator();
        }
    }

    /** What caches can be. */
    public static final class Caches implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return WeightTypes.caches().stream().map(ElementType::label).iterator();
        }
    }
}
