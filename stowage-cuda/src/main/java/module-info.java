import org.jspecify.annotations.NullMarked;

/** Runs graphs on NVIDIA GPUs: the CUDA driver called from Java, and kernels of its own. */
@NullMarked
module dev.stowage.cuda {
    requires transitive dev.stowage.core;
    requires static org.jspecify;

    exports dev.stowage.cuda;

    provides dev.stowage.device.BackendProvider with
            dev.stowage.cuda.CudaProvider;
    provides dev.stowage.device.fault.FaultInjector with
            dev.stowage.cuda.CudaFaults;
}
