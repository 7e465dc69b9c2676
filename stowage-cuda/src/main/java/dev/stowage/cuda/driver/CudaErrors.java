package dev.stowage.cuda.driver;

/** What the error codes of the driver mean for a caller. */
public final class CudaErrors {

    public static final int SUCCESS = 0;
    public static final int INVALID_VALUE = 1;
    public static final int OUT_OF_MEMORY = 2;
    public static final int DEINITIALIZED = 4;
    public static final int NO_DEVICE = 100;
    public static final int NO_BINARY_FOR_GPU = 209;
    public static final int PEER_ACCESS_ALREADY_ENABLED = 704;
    public static final int NOT_READY = 600;

    private CudaErrors() {}

    /**
     * Whether every later call in the context fails too: an illegal access, a failed launch, broken hardware. The device
     * is lost for this process then.
     */
    public static boolean isSticky(int code) {
        return switch (code) {
            case 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 999 -> true;
            case DEINITIALIZED -> true;
            default -> false;
        };
    }

    /** What the user can do about an error; empty where nothing in particular helps. */
    static String advice(int code) {
        return switch (code) {
            case OUT_OF_MEMORY -> "free memory of the GPU, or ask for less";
            case NO_DEVICE -> "the driver sees no GPU: check nvidia-smi and CUDA_VISIBLE_DEVICES";
            case 3 -> "the driver was not initialised";
            case 35, 803 -> "the driver is older than this library: install a newer NVIDIA driver";
            case NO_BINARY_FOR_GPU -> "there are no kernels for this GPU: compute capability 8.0 or newer is needed";
            case 214, 220 -> "the hardware of the GPU reports an error: look at nvidia-smi -q and the system log";
            case 222 -> "the driver cannot compile this PTX: install a newer NVIDIA driver";
            case 700, 715, 716, 717, 718, 719 ->
                "a kernel failed, and the GPU cannot be used by this process any more: start it again";
            case 802 -> "the driver is still starting up the GPUs: try again";
            default -> "";
        };
    }
}
