package dev.stowage.cuda;

import dev.stowage.device.Availability;
import dev.stowage.device.BackendProvider;
import dev.stowage.device.Device;
import java.util.List;

/** Provides the NVIDIA GPUs of this machine, through the CUDA driver. */
public final class CudaProvider implements BackendProvider {

    /** For {@link java.util.ServiceLoader}. */
    public CudaProvider() {}

    @Override
    public String name() {
        return "cuda";
    }

    @Override
    public String version() {
        return "1";
    }

    @Override
    public Availability probe() {
        return Availability.unavailable("the CUDA driver was not looked for");
    }

    @Override
    public List<Device> devices() {
        return List.of();
    }
}
