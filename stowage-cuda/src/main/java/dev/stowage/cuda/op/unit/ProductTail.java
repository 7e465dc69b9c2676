package dev.stowage.cuda.op.unit;

import dev.stowage.cuda.program.Launch;

/**
 * What a product of one token that gives queries, keys and values does with them in the same launch, so that attention can
 * follow: it rotates queries and keys, and stores keys and values in their tables ({@code unit_rope.cuh}).
 */
@FunctionalInterface
public interface ProductTail {

    /** Adds the arguments that come after those of the product. */
    void addTo(Launch launch);
}
