import org.jspecify.annotations.NullMarked;

/** Conformance checks and test support, for Stowage's own modules and for backends written elsewhere. */
@NullMarked
module dev.stowage.testkit {
    requires transitive dev.stowage.core;
    requires static org.jspecify;

    exports dev.stowage.testkit.golden;
}
