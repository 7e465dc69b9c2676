package dev.stowage.cuda.driver;

/** Numbers of {@code CUdevice_attribute}. */
public final class DeviceAttribute {

    public static final int MULTIPROCESSOR_COUNT = 16;
    public static final int INTEGRATED = 18;
    public static final int L2_CACHE_SIZE = 38;
    public static final int COMPUTE_CAPABILITY_MAJOR = 75;
    public static final int COMPUTE_CAPABILITY_MINOR = 76;
    public static final int MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97;

    private DeviceAttribute() {}
}
