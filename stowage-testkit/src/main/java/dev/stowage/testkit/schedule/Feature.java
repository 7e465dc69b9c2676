package dev.stowage.testkit.schedule;

import java.util.EnumSet;
import java.util.Set;

/** What a {@link RandomProgram} may contain beyond plain ops, views, and caches that are written and then read. */
public enum Feature {
    /** A tensor is read, written again by another node, and read again through the same view. */
    REWRITES,
    /** Nodes write into the bytes of other nodes' results: ops in place, and copies into views of them. */
    WRITES_TO_RESULTS,
    /** Leaves that are neither inputs nor placed, that the caller writes before every run. */
    PLAIN_LEAVES,
    /** Leaves as above that nodes write to, and that are first met through a view. */
    WRITES_TO_PLAIN_LEAVES,
    /** Multiplications by matrices of experts, of which each row uses some. */
    EXPERTS;

    public static Set<Feature> none() {
        return EnumSet.noneOf(Feature.class);
    }

    public static Set<Feature> all() {
        return EnumSet.allOf(Feature.class);
    }
}
