import org.jspecify.annotations.NullMarked;

/** Runs graphs on the processor: Vector API kernels on a team of threads. */
@NullMarked
module dev.stowage.cpu {
    requires transitive dev.stowage.core;
    requires dev.stowage.reference;
    // Present at run time only with --add-modules jdk.incubator.vector; the provider says so where it is missing.
    requires static jdk.incubator.vector;
    requires java.management;
    requires jdk.management;
    requires static org.jspecify;

    exports dev.stowage.cpu;

    provides dev.stowage.device.BackendProvider with
            dev.stowage.cpu.CpuProvider;
}
