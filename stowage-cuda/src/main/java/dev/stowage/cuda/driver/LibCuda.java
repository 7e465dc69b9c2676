package dev.stowage.cuda.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** The CUDA driver of this machine, through {@link CudaFunctions}. */
@SuppressWarnings("restricted") // native access is what this module is for
public final class LibCuda implements Driver {

    private static final int PORTABLE_HOST_MEMORY = 1;
    private static final int NON_BLOCKING_STREAM = 1;
    private static final int UNTIMED_EVENT = 2;
    private static final int MAX_DYNAMIC_SHARED_SIZE = 8;
    private static final int CAPTURE_THREAD_LOCAL = 1;
    private static final int NAME_BYTES = 256;
    /** {@code CU_TENSOR_MAP_DATA_TYPE_FLOAT16}, which only says that elements have two bytes. */
    private static final int TENSOR_MAP_F16 = 6;

    private static final int SWIZZLE_128 = 3;
    private static final int PROMOTE_L2_256 = 3;

    private LibCuda() {}

    /**
     * The driver, initialized.
     *
     * @throws CudaException if it refuses
     * @throws LinkageError if its library or a function of it is missing
     * @throws IllegalCallerException if this JVM does not let this module call native code
     */
    public static LibCuda open() {
        LibCuda driver = new LibCuda();
        NativeCall.check("cuInit", () -> (int) CudaFunctions.INIT.invokeExact(0));
        return driver;
    }

    @Override
    public int driverVersion() {
        return (int) NativeCall.ask("cuDriverGetVersion", r -> (int) CudaFunctions.DRIVER_GET_VERSION.invokeExact(r));
    }

    @Override
    public int deviceCount() {
        return (int) NativeCall.ask("cuDeviceGetCount", r -> (int) CudaFunctions.DEVICE_GET_COUNT.invokeExact(r));
    }

    @Override
    public String deviceName(int device) {
        try (Arena scope = Arena.ofConfined()) {
            MemorySegment name = scope.allocate(NAME_BYTES);
            NativeCall.check(
                    "cuDeviceGetName", () -> (int) CudaFunctions.DEVICE_GET_NAME.invokeExact(name, NAME_BYTES, device));
            return name.getString(0);
        }
    }

    @Override
    public int deviceAttribute(int device, int attribute) {
        return (int) NativeCall.ask("cuDeviceGetAttribute", r ->
                (int) CudaFunctions.DEVICE_GET_ATTRIBUTE.invokeExact(r, attribute, device));
    }

    @Override
    public String devicePciBusId(int device) {
        try (Arena scope = Arena.ofConfined()) {
            MemorySegment name = scope.allocate(NAME_BYTES);
            NativeCall.check("cuDeviceGetPCIBusId", () ->
                    (int) CudaFunctions.DEVICE_GET_PCI_BUS_ID.invokeExact(name, NAME_BYTES, device));
            return name.getString(0);
        }
    }

    @Override
    public boolean deviceCanAccessPeer(int device, int peer) {
        return (int) NativeCall.ask("cuDeviceCanAccessPeer", r ->
                        (int) CudaFunctions.DEVICE_CAN_ACCESS_PEER.invokeExact(r, device, peer))
                != 0;
    }

    @Override
    public Context primaryContextRetain(int device) {
        return new Context(NativeCall.ask(
                "cuDevicePrimaryCtxRetain", r -> (int) CudaFunctions.PRIMARY_CTX_RETAIN.invokeExact(r, device)));
    }

    @Override
    public void primaryContextRelease(int device) {
        NativeCall.check(
                "cuDevicePrimaryCtxRelease", () -> (int) CudaFunctions.PRIMARY_CTX_RELEASE.invokeExact(device));
    }

    @Override
    public void ctxEnablePeerAccess(Context context, Context peer) {
        NativeCall.enter(context);
        NativeCall.check("cuCtxEnablePeerAccess", () -> {
            int code = (int) CudaFunctions.CTX_ENABLE_PEER_ACCESS.invokeExact(peer.handle(), 0);
            return code == CudaErrors.PEER_ACCESS_ALREADY_ENABLED ? CudaErrors.SUCCESS : code;
        });
    }

    @Override
    public MemoryInfo memGetInfo(Context context) {
        NativeCall.enter(context);
        try (Arena scope = Arena.ofConfined()) {
            MemorySegment free = scope.allocate(JAVA_LONG);
            MemorySegment total = scope.allocate(JAVA_LONG);
            NativeCall.check("cuMemGetInfo", () -> (int) CudaFunctions.MEM_GET_INFO.invokeExact(free, total));
            return new MemoryInfo(free.get(JAVA_LONG, 0), total.get(JAVA_LONG, 0));
        }
    }

    @Override
    public long memAlloc(Context context, long bytes) {
        NativeCall.enter(context);
        return NativeCall.ask("cuMemAlloc", r -> (int) CudaFunctions.MEM_ALLOC.invokeExact(r, bytes));
    }

    @Override
    public void memFree(Context context, long address) {
        NativeCall.enter(context);
        NativeCall.check("cuMemFree", () -> (int) CudaFunctions.MEM_FREE.invokeExact(address));
    }

    @Override
    public MemorySegment memHostAlloc(Context context, long bytes) {
        NativeCall.enter(context);
        long address = NativeCall.ask(
                "cuMemHostAlloc", r -> (int) CudaFunctions.MEM_HOST_ALLOC.invokeExact(r, bytes, PORTABLE_HOST_MEMORY));
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    @Override
    public void memFreeHost(Context context, MemorySegment memory) {
        NativeCall.enter(context);
        NativeCall.check("cuMemFreeHost", () -> (int) CudaFunctions.MEM_FREE_HOST.invokeExact(memory));
    }

    @Override
    public Stream streamCreate(Context context) {
        NativeCall.enter(context);
        return new Stream(NativeCall.ask(
                "cuStreamCreate", r -> (int) CudaFunctions.STREAM_CREATE.invokeExact(r, NON_BLOCKING_STREAM)));
    }

    @Override
    public void streamDestroy(Context context, Stream stream) {
        NativeCall.enter(context);
        NativeCall.check("cuStreamDestroy", () -> (int) CudaFunctions.STREAM_DESTROY.invokeExact(stream.handle()));
    }

    @Override
    public EventHandle eventCreate(Context context, boolean timed) {
        NativeCall.enter(context);
        return new EventHandle(NativeCall.ask(
                "cuEventCreate", r -> (int) CudaFunctions.EVENT_CREATE.invokeExact(r, timed ? 0 : UNTIMED_EVENT)));
    }

    @Override
    public void eventDestroy(Context context, EventHandle event) {
        NativeCall.enter(context);
        NativeCall.check("cuEventDestroy", () -> (int) CudaFunctions.EVENT_DESTROY.invokeExact(event.handle()));
    }

    @Override
    public float eventElapsedTime(Context context, EventHandle start, EventHandle end) {
        NativeCall.enter(context);
        long bits = NativeCall.ask("cuEventElapsedTime", r ->
                (int) CudaFunctions.EVENT_ELAPSED_TIME.invokeExact(r, start.handle(), end.handle()));
        return Float.intBitsToFloat((int) bits);
    }

    @Override
    public Module moduleLoadData(Context context, MemorySegment image) {
        NativeCall.enter(context);
        return new Module(
                NativeCall.ask("cuModuleLoadData", r -> (int) CudaFunctions.MODULE_LOAD_DATA.invokeExact(r, image)));
    }

    @Override
    public void moduleUnload(Context context, Module module) {
        NativeCall.enter(context);
        NativeCall.check("cuModuleUnload", () -> (int) CudaFunctions.MODULE_UNLOAD.invokeExact(module.handle()));
    }

    @Override
    public Function moduleGetFunction(Context context, Module module, String name) {
        NativeCall.enter(context);
        try (Arena scope = Arena.ofConfined()) {
            MemorySegment text = scope.allocateFrom(name);
            return new Function(NativeCall.ask("cuModuleGetFunction", r ->
                    (int) CudaFunctions.MODULE_GET_FUNCTION.invokeExact(r, module.handle(), text)));
        }
    }

    @Override
    public void funcSetMaxDynamicSharedSize(Context context, Function function, int bytes) {
        NativeCall.enter(context);
        NativeCall.check("cuFuncSetAttribute", () ->
                (int) CudaFunctions.FUNC_SET_ATTRIBUTE.invokeExact(function.handle(), MAX_DYNAMIC_SHARED_SIZE, bytes));
    }

    @Override
    public int occupancyMaxActiveBlocks(Context context, Function function, int blockSize, int dynamicSharedBytes) {
        NativeCall.enter(context);
        return (int) NativeCall.ask("cuOccupancyMaxActiveBlocksPerMultiprocessor", r ->
                (int) CudaFunctions.OCCUPANCY.invokeExact(r, function.handle(), blockSize, (long) dynamicSharedBytes));
    }

    @Override
    public void memcpyHtoDAsync(Context context, long target, long hostSource, long bytes, Stream stream) {
        NativeCall.enter(context);
        try {
            NativeCall.require("cuMemcpyHtoDAsync", (int)
                    CudaFunctions.MEMCPY_HTOD_ASYNC.invokeExact(target, hostSource, bytes, stream.handle()));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuMemcpyHtoDAsync", e);
        }
    }

    @Override
    public void memcpyDtoHAsync(Context context, long hostTarget, long source, long bytes, Stream stream) {
        NativeCall.enter(context);
        try {
            NativeCall.require("cuMemcpyDtoHAsync", (int)
                    CudaFunctions.MEMCPY_DTOH_ASYNC.invokeExact(hostTarget, source, bytes, stream.handle()));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuMemcpyDtoHAsync", e);
        }
    }

    @Override
    public void memcpyDtoDAsync(Context context, long target, long source, long bytes, Stream stream) {
        NativeCall.enter(context);
        try {
            NativeCall.require("cuMemcpyAsync", (int)
                    CudaFunctions.MEMCPY_ASYNC.invokeExact(target, source, bytes, stream.handle()));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuMemcpyAsync", e);
        }
    }

    @Override
    public void memcpy2DAsync(
            Context context,
            boolean toDevice,
            long target,
            long targetStride,
            long source,
            long sourceStride,
            long rowBytes,
            long rows,
            Stream stream) {
        NativeCall.enter(context);
        try (Arena scope = Arena.ofConfined()) {
            MemorySegment copy =
                    Structs.memcpy2D(scope, toDevice, target, targetStride, source, sourceStride, rowBytes, rows);
            NativeCall.require(
                    "cuMemcpy2DAsync", (int) CudaFunctions.MEMCPY_2D_ASYNC.invokeExact(copy, stream.handle()));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuMemcpy2DAsync", e);
        }
    }

    @Override
    public void memsetD8Async(Context context, long address, byte value, long bytes, Stream stream) {
        NativeCall.enter(context);
        try {
            NativeCall.require("cuMemsetD8Async", (int)
                    CudaFunctions.MEMSET_D8_ASYNC.invokeExact(address, value, bytes, stream.handle()));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuMemsetD8Async", e);
        }
    }

    @Override
    public void streamSynchronize(Context context, Stream stream) {
        NativeCall.enter(context);
        try {
            NativeCall.require(
                    "cuStreamSynchronize", (int) CudaFunctions.STREAM_SYNCHRONIZE.invokeExact(stream.handle()));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuStreamSynchronize", e);
        }
    }

    @Override
    public void streamWaitEvent(Context context, Stream stream, EventHandle event) {
        NativeCall.enter(context);
        try {
            NativeCall.require("cuStreamWaitEvent", (int)
                    CudaFunctions.STREAM_WAIT_EVENT.invokeExact(stream.handle(), event.handle(), 0));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuStreamWaitEvent", e);
        }
    }

    @Override
    public void eventRecord(Context context, EventHandle event, Stream stream) {
        NativeCall.enter(context);
        try {
            NativeCall.require(
                    "cuEventRecord", (int) CudaFunctions.EVENT_RECORD.invokeExact(event.handle(), stream.handle()));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuEventRecord", e);
        }
    }

    @Override
    public boolean eventQuery(Context context, EventHandle event) {
        NativeCall.enter(context);
        try {
            int code = (int) CudaFunctions.EVENT_QUERY.invokeExact(event.handle());
            if (code == CudaErrors.NOT_READY) {
                return false;
            }
            NativeCall.require("cuEventQuery", code);
            return true;
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuEventQuery", e);
        }
    }

    @Override
    public void eventSynchronize(Context context, EventHandle event) {
        NativeCall.enter(context);
        try {
            NativeCall.require("cuEventSynchronize", (int) CudaFunctions.EVENT_SYNCHRONIZE.invokeExact(event.handle()));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuEventSynchronize", e);
        }
    }

    @Override
    public void launchKernel(
            Context context,
            Function function,
            Dim3 grid,
            Dim3 block,
            int sharedBytes,
            Stream stream,
            MemorySegment kernelParameters,
            int clusterSize,
            boolean dependent) {
        NativeCall.enter(context);
        try (Arena scope = Arena.ofConfined()) {
            MemorySegment config =
                    Structs.launchConfig(scope, grid, block, sharedBytes, stream, clusterSize, dependent);
            NativeCall.require("cuLaunchKernelEx", (int) CudaFunctions.LAUNCH_KERNEL_EX.invokeExact(
                    config, function.handle(), kernelParameters, MemorySegment.NULL));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuLaunchKernelEx", e);
        }
    }

    @Override
    public void streamBeginCapture(Context context, Stream stream) {
        NativeCall.enter(context);
        try {
            NativeCall.require("cuStreamBeginCapture", (int)
                    CudaFunctions.STREAM_BEGIN_CAPTURE.invokeExact(stream.handle(), CAPTURE_THREAD_LOCAL));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuStreamBeginCapture", e);
        }
    }

    @Override
    public CapturedGraph streamEndCapture(Context context, Stream stream) {
        NativeCall.enter(context);
        return new CapturedGraph(NativeCall.ask(
                "cuStreamEndCapture", r -> (int) CudaFunctions.STREAM_END_CAPTURE.invokeExact(stream.handle(), r)));
    }

    @Override
    public ExecutableGraph graphInstantiate(Context context, CapturedGraph graph) {
        NativeCall.enter(context);
        return new ExecutableGraph(NativeCall.ask(
                "cuGraphInstantiate", r -> (int) CudaFunctions.GRAPH_INSTANTIATE.invokeExact(r, graph.handle(), 0L)));
    }

    @Override
    public void graphLaunch(Context context, ExecutableGraph graph, Stream stream) {
        NativeCall.enter(context);
        try {
            NativeCall.require(
                    "cuGraphLaunch", (int) CudaFunctions.GRAPH_LAUNCH.invokeExact(graph.handle(), stream.handle()));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuGraphLaunch", e);
        }
    }

    @Override
    public void graphExecDestroy(Context context, ExecutableGraph graph) {
        NativeCall.enter(context);
        try {
            NativeCall.require(
                    "cuGraphExecDestroy", (int) CudaFunctions.GRAPH_EXEC_DESTROY.invokeExact(graph.handle()));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuGraphExecDestroy", e);
        }
    }

    @Override
    public void graphDestroy(Context context, CapturedGraph graph) {
        NativeCall.enter(context);
        try {
            NativeCall.require("cuGraphDestroy", (int) CudaFunctions.GRAPH_DESTROY.invokeExact(graph.handle()));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuGraphDestroy", e);
        }
    }

    @Override
    public void tensorMapEncode2d(
            MemorySegment map, long address, long columns, long rows, long rowBytes, int boxColumns, int boxRows) {
        tensorMapEncode(
                map, address, new long[] {columns, rows}, new long[] {rowBytes}, new int[] {boxColumns, boxRows});
    }

    @Override
    public void tensorMapEncode(MemorySegment map, long address, long[] sizes, long[] strides, int[] box) {
        int[] ones = new int[box.length];
        Arrays.fill(ones, 1);
        try (Arena scope = Arena.ofConfined()) {
            NativeCall.require("cuTensorMapEncodeTiled", (int) CudaFunctions.TENSOR_MAP_ENCODE_TILED.invokeExact(
                    map,
                    TENSOR_MAP_F16,
                    sizes.length,
                    address,
                    scope.allocateFrom(JAVA_LONG, sizes),
                    scope.allocateFrom(JAVA_LONG, strides),
                    scope.allocateFrom(JAVA_INT, box),
                    scope.allocateFrom(JAVA_INT, ones),
                    0,
                    SWIZZLE_128,
                    PROMOTE_L2_256,
                    0));
        } catch (Throwable e) {
            throw NativeCall.rethrow("cuTensorMapEncodeTiled", e);
        }
    }
}
