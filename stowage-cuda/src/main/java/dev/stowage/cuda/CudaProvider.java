package dev.stowage.cuda;

import dev.stowage.cuda.driver.CudaException;
import dev.stowage.cuda.driver.Driver;
import dev.stowage.cuda.driver.LibCuda;
import dev.stowage.device.Availability;
import dev.stowage.device.BackendProvider;
import dev.stowage.device.Device;
import dev.stowage.error.StowageException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Provides the NVIDIA GPUs of this machine, through the CUDA driver. Where there is no driver, or no GPU that can be used,
 * it has no devices and says what is missing.
 */
public final class CudaProvider implements BackendProvider {

    private final Supplier<? extends Driver> opener;
    private final GraphCompiler compiler;
    private @Nullable DriverSearch search;
    private final List<CudaDevice> devices = new ArrayList<>();
    private boolean closed;

    /** For {@link java.util.ServiceLoader}. */
    public CudaProvider() {
        this(LibCuda::open, StandardCompiler.INSTANCE);
    }

    CudaProvider(Supplier<? extends Driver> opener, GraphCompiler compiler) {
        this.opener = opener;
        this.compiler = compiler;
    }

    @Override
    public String name() {
        return "cuda";
    }

    @Override
    public String version() {
        return "1";
    }

    @Override
    public synchronized Availability probe() {
        if (closed) {
            return Availability.unavailable("the provider is closed");
        }
        DriverSearch found = search();
        return found.driver() == null ? Availability.unavailable(found.objection()) : Availability.available();
    }

    private DriverSearch search() {
        DriverSearch found = search;
        if (found == null) {
            found = DriverSearch.with(opener);
            search = found;
            Driver driver = found.driver();
            if (driver != null) {
                found.gpus().forEach(gpu -> devices.add(new CudaDevice(driver, gpu, compiler)));
            }
        }
        return found;
    }

    /** The GPUs in the driver's order, fastest first unless CUDA_DEVICE_ORDER says otherwise. */
    @Override
    public synchronized List<Device> devices() {
        if (!probe().isAvailable()) {
            return List.of();
        }
        devices.replaceAll(this::recovered);
        return List.copyOf(devices);
    }

    /** A device, or in place of one that is lost another that works; the lost one if there is none yet. */
    private CudaDevice recovered(CudaDevice device) {
        if (device.lossCause().isEmpty()) {
            return device;
        }
        device.close();
        CudaDevice next;
        try {
            next = new CudaDevice(device.context().driver(), device.context().index(), compiler);
        } catch (CudaException _) {
            return device;
        }
        try {
            next.context().memoryInfo();
            return next;
        } catch (StowageException _) {
            next.close();
            return device;
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        devices.forEach(CudaDevice::close);
        devices.clear();
    }
}
