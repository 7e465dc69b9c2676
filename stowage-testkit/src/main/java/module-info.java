import org.jspecify.annotations.NullMarked;

/** Conformance checks and test support, for Stowage's own modules and for backends written elsewhere. */
@NullMarked
module dev.stowage.testkit {
    requires transitive dev.stowage.core;
    requires dev.stowage.reference;
    requires static org.jspecify;
    requires static org.junit.jupiter.api;

    exports dev.stowage.testkit.backend;
    exports dev.stowage.testkit.golden;
    exports dev.stowage.testkit.junit;
    exports dev.stowage.testkit.op;
    exports dev.stowage.testkit.race;
    exports dev.stowage.testkit.recording;
    exports dev.stowage.testkit.schedule;
    exports dev.stowage.testkit.simulated;
}
