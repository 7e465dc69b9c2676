package dev.stowage.cuda.driver;

/** A function of the CUDA driver failed. Not part of the interface of devices: callers turn it into their exceptions. */
public final class CudaException extends RuntimeException {

    private final String function;
    private final int code;

    /**
     * A failure of a function.
     *
     * @param function its name, such as {@code cuMemAlloc}
     * @param code the number it returned
     * @param what CUDA's name of the error, and what to do
     */
    public CudaException(String function, int code, String what) {
        super(function + ": " + what);
        this.function = function;
        this.code = code;
    }

    public String function() {
        return function;
    }

    /** The number of the error in {@code CUresult}. */
    public int code() {
        return code;
    }
}
