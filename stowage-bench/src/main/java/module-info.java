import org.jspecify.annotations.NullMarked;

/** Benchmarks of the planners and of the backends. They run on the class path, where JMH expects them. */
@NullMarked
module dev.stowage.bench {
    requires dev.stowage.core;
    requires dev.stowage.models;
    requires dev.stowage.reference;
    requires dev.stowage.testkit;
    requires static org.jspecify;
    requires jmh.core;
}
