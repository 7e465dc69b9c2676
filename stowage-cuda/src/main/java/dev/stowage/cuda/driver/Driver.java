package dev.stowage.cuda.driver;

import java.lang.foreign.MemorySegment;

/**
 * The functions of the CUDA driver that Stowage calls, one method each, named after the function without its {@code cu}
 * prefix. An implementation calls the real driver; tests use one that records. Handles are typed; device memory is a plain
 * address. Every failure is a {@link CudaException} with the function, CUDA's name of the error and what to do.
 *
 * <p>Functions that need a current context take it as their first argument and make it current in the calling thread.
 * Implementations are thread-safe. Methods marked <i>hot</i> allocate nothing.
 */
public interface Driver {

    /** A context: the state of one device in this process. */
    record Context(long handle) {}

    /** A stream of work. */
    record Stream(long handle) {}

    /** A mark in a stream. */
    record EventHandle(long handle) {}

    /** Loaded code. */
    record Module(long handle) {}

    /** A kernel of loaded code. */
    record Function(long handle) {}

    /** A recorded graph of launches. */
    record CapturedGraph(long handle) {}

    /** A recorded graph that can be launched. */
    record ExecutableGraph(long handle) {}

    /** Free and total bytes of a device. */
    record MemoryInfo(long free, long total) {}

    /** The version of the driver's interface, 12090 for 12.9. */
    int driverVersion();

    int deviceCount();

    String deviceName(int device);

    /** An attribute by its number in {@code CUdevice_attribute}. */
    int deviceAttribute(int device, int attribute);

    /** The location on the bus, such as {@code 0000:3B:00.0}. */
    String devicePciBusId(int device);

    Context primaryContextRetain(int device);

    void primaryContextRelease(int device);

    MemoryInfo memGetInfo(Context context);

    /** Device memory, aligned to at least 256 bytes. */
    long memAlloc(Context context, long bytes);

    void memFree(Context context, long address);

    /** Pinned host memory. */
    MemorySegment memHostAlloc(Context context, long bytes);

    void memFreeHost(Context context, MemorySegment memory);

    /** Hot. The host side is an address, which stays valid until the copy is done. */
    void memcpyHtoDAsync(Context context, long target, long hostSource, long bytes, Stream stream);

    /** Hot. */
    void memcpyDtoHAsync(Context context, long hostTarget, long source, long bytes, Stream stream);

    /** Hot. Between addresses of any devices of this process. */
    void memcpyDtoDAsync(Context context, long target, long source, long bytes, Stream stream);

    /** Hot. Rows with gaps; either side is device or host memory. */
    void memcpy2DAsync(
            Context context,
            boolean toDevice,
            long target,
            long targetStride,
            long source,
            long sourceStride,
            long rowBytes,
            long rows,
            Stream stream);

    /** Hot. */
    void memsetD8Async(Context context, long address, byte value, long bytes, Stream stream);

    /** A stream that does not wait for the default stream. */
    Stream streamCreate(Context context);

    void streamDestroy(Context context, Stream stream);

    /** Hot. */
    void streamSynchronize(Context context, Stream stream);

    /** Hot. */
    void streamWaitEvent(Context context, Stream stream, EventHandle event);

    EventHandle eventCreate(Context context, boolean timed);

    void eventDestroy(Context context, EventHandle event);

    /** Hot. */
    void eventRecord(Context context, EventHandle event, Stream stream);

    /** Hot. Whether the work before it is done. */
    boolean eventQuery(Context context, EventHandle event);

    /** Hot. */
    void eventSynchronize(Context context, EventHandle event);

    /** Milliseconds between two timed events that are done. */
    float eventElapsedTime(Context context, EventHandle start, EventHandle end);

    /** Loads a cubin or PTX. */
    Module moduleLoadData(Context context, MemorySegment image);

    void moduleUnload(Context context, Module module);

    Function moduleGetFunction(Context context, Module module, String name);

    /** Lets a kernel use that much dynamic shared memory, where it is more than 48 KiB. */
    void funcSetMaxDynamicSharedSize(Context context, Function function, int bytes);

    /** How many blocks of a kernel fit on one multiprocessor. */
    int occupancyMaxActiveBlocks(Context context, Function function, int blockSize, int dynamicSharedBytes);

    /**
     * Hot. Launches a kernel.
     *
     * @param kernelParameters an array of addresses of its arguments, as {@code cuLaunchKernel} takes it
     * @param dependent whether it may begin before the kernel before it in the stream has ended; it then waits by itself
     */
    void launchKernel(
            Context context,
            Function function,
            Dim3 grid,
            Dim3 block,
            int sharedBytes,
            Stream stream,
            MemorySegment kernelParameters,
            int clusterSize,
            boolean dependent);

    void streamBeginCapture(Context context, Stream stream);

    CapturedGraph streamEndCapture(Context context, Stream stream);

    ExecutableGraph graphInstantiate(Context context, CapturedGraph graph);

    /** Hot. */
    void graphLaunch(Context context, ExecutableGraph graph, Stream stream);

    void graphExecDestroy(Context context, ExecutableGraph graph);

    void graphDestroy(Context context, CapturedGraph graph);

    /**
     * Writes a 128-byte tensor map for two-dimensional bulk copies of 2-byte elements with 128-byte swizzle.
     *
     * @param map 128 bytes, aligned to 64
     * @param columns elements of a row, of which {@code boxColumns} are copied at once
     */
    void tensorMapEncode2d(
            MemorySegment map, long address, long columns, long rows, long rowBytes, int boxColumns, int boxRows);

    /**
     * The same for boxes of a tensor with more dimensions, innermost first.
     *
     * @param sizes elements of each dimension
     * @param strides bytes from one to the next of each dimension but the innermost, multiples of 16
     * @param box elements of each dimension that are copied at once
     */
    void tensorMapEncode(MemorySegment map, long address, long[] sizes, long[] strides, int[] box);

    boolean deviceCanAccessPeer(int device, int peer);

    void ctxEnablePeerAccess(Context context, Context peer);
}
