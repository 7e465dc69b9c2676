package dev.stowage.cuda;

import dev.stowage.cuda.driver.CudaErrors;
import dev.stowage.cuda.driver.Driver;
import dev.stowage.cuda.driver.FaultyDriver;
import dev.stowage.cuda.driver.LibCuda;
import dev.stowage.device.BackendProvider;
import dev.stowage.device.fault.FaultInjector;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The NVIDIA GPUs of this machine through a driver that fails on purpose. */
public final class CudaFaults implements FaultInjector {

    private static final int LAUNCH_FAILED = 719;

    private final Supplier<? extends Driver> opener;
    private final CudaProvider provider;
    private @Nullable FaultyDriver driver;

    /** For {@link java.util.ServiceLoader}. */
    public CudaFaults() {
        this(LibCuda::open, StandardCompiler.INSTANCE);
    }

    CudaFaults(Supplier<? extends Driver> opener, GraphCompiler compiler) {
        this.opener = opener;
        this.provider = new CudaProvider(() -> driver().driver(), compiler);
    }

    private synchronized FaultyDriver driver() {
        FaultyDriver known = driver;
        if (known == null) {
            known = new FaultyDriver(opener.get());
            driver = known;
        }
        return known;
    }

    @Override
    public BackendProvider provider() {
        return provider;
    }

    @Override
    public long calls() {
        return driver().calls();
    }

    @Override
    public void fail(long call, Failure failure) {
        driver().fail(
                        call,
                        switch (failure) {
                            case OUT_OF_MEMORY -> CudaErrors.OUT_OF_MEMORY;
                            case DEVICE_LOST -> LAUNCH_FAILED;
                        });
    }

    @Override
    public String disarm() {
        return driver().disarm();
    }
}
