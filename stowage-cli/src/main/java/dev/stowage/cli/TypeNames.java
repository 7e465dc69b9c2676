package dev.stowage.cli;

import dev.stowage.models.WeightTypes;
import dev.stowage.tensor.ElementType;
import java.util.Iterator;

/** The names of element types that options take, for completion. */
final class TypeNames {
    private TypeNames() {}

    /** What weights can be. */
    static final class Weights implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return WeightTypes.weights().stream().map(ElementType::label).iterator();
        }
    }

    /** What caches can be. */
    static final class Caches implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return WeightTypes.caches().stream().map(ElementType::label).iterator();
        }
    }
}
