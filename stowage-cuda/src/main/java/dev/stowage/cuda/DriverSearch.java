package dev.stowage.cuda;

import dev.stowage.cuda.driver.CudaErrors;
import dev.stowage.cuda.driver.CudaException;
import dev.stowage.cuda.driver.Driver;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks for the CUDA driver and for GPUs that can be used, and says in one sentence what is missing. Never throws.
 *
 * @param driver the driver, if it can be used
 * @param gpus the numbers of the GPUs that can be used; at least one if there is a driver
 * @param objection what is missing; empty if there is a driver
 */
record DriverSearch(@Nullable Driver driver, List<Integer> gpus, String objection) {

    /** The driver 525, the first whose interface has all functions and takes the compiled kernels. */
    private static final int OLDEST_DRIVER = 12000;

    /** Ampere. */
    private static final int LEAST_CAPABILITY = 80;

    static DriverSearch with(Supplier<? extends Driver> opener) {
        Driver driver;
        try {
            driver = opener.get();
        } catch (IllegalCallerException | LinkageError e) {
            return missing(isNativeAccessDenied(e) ? nativeAccess() : library(e));
        } catch (CudaException e) {
            return missing(refusal(e));
        } catch (RuntimeException e) {
            return missing("the CUDA driver could not be called (" + e + ")");
        }
        try {
            return gpus(driver);
        } catch (CudaException e) {
            return missing(refusal(e));
        }
    }

    private static DriverSearch missing(String objection) {
        return new DriverSearch(null, List.of(), objection);
    }

    private static DriverSearch gpus(Driver driver) {
        int version = driver.driverVersion();
        if (version < OLDEST_DRIVER) {
            return missing("the NVIDIA driver is too old: it is for CUDA " + Gpus.cudaVersion(driver)
                    + ", and 12.0 is needed: install driver 525 or newer");
        }
        List<Integer> usable = new ArrayList<>();
        List<String> tooOld = new ArrayList<>();
        for (int gpu = 0; gpu < driver.deviceCount(); gpu++) {
            int capability = Gpus.capability(driver, gpu);
            if (capability >= LEAST_CAPABILITY) {
                usable.add(gpu);
            } else {
                tooOld.add(driver.deviceName(gpu) + " has compute capability " + Gpus.capabilityText(capability));
            }
        }
        if (!usable.isEmpty()) {
            return new DriverSearch(driver, List.copyOf(usable), "");
        }
        return missing(
                tooOld.isEmpty()
                        ? "the driver finds no NVIDIA GPU: check nvidia-smi and CUDA_VISIBLE_DEVICES"
                        : String.join(", ", tooOld) + ", and 8.0 (Ampere) or newer is needed");
    }

    private static String refusal(CudaException e) {
        return e.code() == CudaErrors.NO_DEVICE
                ? "the driver finds no NVIDIA GPU: check nvidia-smi and CUDA_VISIBLE_DEVICES"
                : "the CUDA driver cannot be used (" + e.getMessage() + ")";
    }

    private static String library(Throwable e) {
        boolean isWindows =
                System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("windows");
        String name = isWindows ? "nvcuda.dll" : "libcuda.so.1";
        String message = String.valueOf(root(e).getMessage());
        return message.contains("no function")
                ? "the NVIDIA driver is too old (" + message + "): install driver 525 or newer"
                : "there is no CUDA driver (" + name + " was not found): install NVIDIA's driver, 525 or newer";
    }

    private static boolean isNativeAccessDenied(Throwable e) {
        return root(e) instanceof IllegalCallerException;
    }

    /** A class that cannot be initialised wraps the reason. */
    private static Throwable root(Throwable e) {
        Throwable cause = e.getCause();
        return e instanceof ExceptionInInitializerError && cause != null ? cause : e;
    }

    private static String nativeAccess() {
        Module module = DriverSearch.class.getModule();
        return "this JVM does not let it call native code: start Java with --enable-native-access="
                + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
    }
}
