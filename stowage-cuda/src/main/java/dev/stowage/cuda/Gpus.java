package dev.stowage.cuda;

import dev.stowage.cuda.driver.DeviceAttribute;
import dev.stowage.cuda.driver.Driver;
import dev.stowage.cuda.program.Gpu;

/** What the driver says about a GPU. */
final class Gpus {

    private Gpus() {}

    static int capability(Driver driver, int index) {
        return 10 * driver.deviceAttribute(index, DeviceAttribute.COMPUTE_CAPABILITY_MAJOR)
                + driver.deviceAttribute(index, DeviceAttribute.COMPUTE_CAPABILITY_MINOR);
    }

    static Gpu describe(Driver driver, int index) {
        return new Gpu(
                capability(driver, index),
                driver.deviceAttribute(index, DeviceAttribute.MULTIPROCESSOR_COUNT),
                driver.deviceAttribute(index, DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
                driver.deviceAttribute(index, DeviceAttribute.L2_CACHE_SIZE));
    }

    static String text(Driver driver, int index, Gpu gpu) {
        return driver.deviceName(index) + ", compute capability " + version(10 * gpu.capability(), 100) + ", "
                + gpu.multiprocessors() + " multiprocessors, driver for CUDA " + cudaVersion(driver);
    }

    /** The version of CUDA that the driver is for, such as 12.9. */
    static String cudaVersion(Driver driver) {
        return version(driver.driverVersion(), 1000);
    }

    static String capabilityText(int capability) {
        return version(10 * capability, 100);
    }

    private static String version(int number, int major) {
        return number / major + "." + number % major / 10;
    }
}
