package dev.stowage.cuda.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Locale;

/**
 * The functions of {@code libcuda} as method handles, found when this class is initialized, which fails where the
 * library is missing. Handles and device addresses are numbers. All of these exist from driver 525 (CUDA 12.0) on.
 */
@SuppressWarnings("restricted") // native access is what this module is for
final class CudaFunctions {

    /** Where the driver's library is found, in this order. */
    static final List<String> LIBRARIES =
            System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("windows")
                    ? List.of("nvcuda.dll")
                    : List.of("libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1");

    /** Before the linker, which takes time to start and is of no use without a driver. */
    private static final SymbolLookup LIBRARY = library();

    private static final Linker LINKER = Linker.nativeLinker();

    static final MethodHandle INIT = find("cuInit", JAVA_INT);
    static final MethodHandle GET_ERROR_NAME = find("cuGetErrorName", JAVA_INT, ADDRESS);
    static final MethodHandle GET_ERROR_STRING = find("cuGetErrorString", JAVA_INT, ADDRESS);
    static final MethodHandle DRIVER_GET_VERSION = find("cuDriverGetVersion", ADDRESS);
    static final MethodHandle DEVICE_GET_COUNT = find("cuDeviceGetCount", ADDRESS);
    static final MethodHandle DEVICE_GET_NAME = find("cuDeviceGetName", ADDRESS, JAVA_INT, JAVA_INT);
    static final MethodHandle DEVICE_GET_ATTRIBUTE = find("cuDeviceGetAttribute", ADDRESS, JAVA_INT, JAVA_INT);
    static final MethodHandle DEVICE_GET_PCI_BUS_ID = find("cuDeviceGetPCIBusId", ADDRESS, JAVA_INT, JAVA_INT);
    static final MethodHandle DEVICE_CAN_ACCESS_PEER = find("cuDeviceCanAccessPeer", ADDRESS, JAVA_INT, JAVA_INT);
    static final MethodHandle PRIMARY_CTX_RETAIN = find("cuDevicePrimaryCtxRetain", ADDRESS, JAVA_INT);
    static final MethodHandle PRIMARY_CTX_RELEASE = find("cuDevicePrimaryCtxRelease_v2", JAVA_INT);
    static final MethodHandle CTX_SET_CURRENT = find("cuCtxSetCurrent", JAVA_LONG);
    static final MethodHandle CTX_ENABLE_PEER_ACCESS = find("cuCtxEnablePeerAccess", JAVA_LONG, JAVA_INT);
    static final MethodHandle MEM_GET_INFO = find("cuMemGetInfo_v2", ADDRESS, ADDRESS);
    static final MethodHandle MEM_ALLOC = find("cuMemAlloc_v2", ADDRESS, JAVA_LONG);
    static final MethodHandle MEM_FREE = find("cuMemFree_v2", JAVA_LONG);
    static final MethodHandle MEM_HOST_ALLOC = find("cuMemHostAlloc", ADDRESS, JAVA_LONG, JAVA_INT);
    static final MethodHandle MEM_FREE_HOST = find("cuMemFreeHost", ADDRESS);
    static final MethodHandle MEMCPY_HTOD_ASYNC =
            find("cuMemcpyHtoDAsync_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    static final MethodHandle MEMCPY_DTOH_ASYNC =
            find("cuMemcpyDtoHAsync_v2", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    static final MethodHandle MEMCPY_ASYNC = find("cuMemcpyAsync", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    static final MethodHandle MEMCPY_2D_ASYNC = find("cuMemcpy2DAsync_v2", ADDRESS, JAVA_LONG);
    static final MethodHandle MEMSET_D8_ASYNC = find("cuMemsetD8Async", JAVA_LONG, JAVA_BYTE, JAVA_LONG, JAVA_LONG);
    static final MethodHandle STREAM_CREATE = find("cuStreamCreate", ADDRESS, JAVA_INT);
    static final MethodHandle STREAM_DESTROY = find("cuStreamDestroy_v2", JAVA_LONG);
    static final MethodHandle STREAM_SYNCHRONIZE = find("cuStreamSynchronize", JAVA_LONG);
    static final MethodHandle STREAM_WAIT_EVENT = find("cuStreamWaitEvent", JAVA_LONG, JAVA_LONG, JAVA_INT);
    static final MethodHandle EVENT_CREATE = find("cuEventCreate", ADDRESS, JAVA_INT);
    static final MethodHandle EVENT_DESTROY = find("cuEventDestroy_v2", JAVA_LONG);
    static final MethodHandle EVENT_RECORD = find("cuEventRecord", JAVA_LONG, JAVA_LONG);
    static final MethodHandle EVENT_QUERY = find("cuEventQuery", JAVA_LONG);
    static final MethodHandle EVENT_SYNCHRONIZE = find("cuEventSynchronize", JAVA_LONG);
    static final MethodHandle EVENT_ELAPSED_TIME = find("cuEventElapsedTime", ADDRESS, JAVA_LONG, JAVA_LONG);
    static final MethodHandle MODULE_LOAD_DATA = find("cuModuleLoadData", ADDRESS, ADDRESS);
    static final MethodHandle MODULE_UNLOAD = find("cuModuleUnload", JAVA_LONG);
    static final MethodHandle MODULE_GET_FUNCTION = find("cuModuleGetFunction", ADDRESS, JAVA_LONG, ADDRESS);
    static final MethodHandle FUNC_SET_ATTRIBUTE = find("cuFuncSetAttribute", JAVA_LONG, JAVA_INT, JAVA_INT);
    static final MethodHandle OCCUPANCY =
            find("cuOccupancyMaxActiveBlocksPerMultiprocessor", ADDRESS, JAVA_LONG, JAVA_INT, JAVA_LONG);
    static final MethodHandle LAUNCH_KERNEL_EX = find("cuLaunchKernelEx", ADDRESS, JAVA_LONG, ADDRESS, ADDRESS);
    static final MethodHandle STREAM_BEGIN_CAPTURE = find("cuStreamBeginCapture_v2", JAVA_LONG, JAVA_INT);
    static final MethodHandle STREAM_END_CAPTURE = find("cuStreamEndCapture", JAVA_LONG, ADDRESS);
    static final MethodHandle GRAPH_INSTANTIATE = find("cuGraphInstantiateWithFlags", ADDRESS, JAVA_LONG, JAVA_LONG);
    static final MethodHandle GRAPH_LAUNCH = find("cuGraphLaunch", JAVA_LONG, JAVA_LONG);
    static final MethodHandle GRAPH_EXEC_DESTROY = find("cuGraphExecDestroy", JAVA_LONG);
    static final MethodHandle GRAPH_DESTROY = find("cuGraphDestroy", JAVA_LONG);
    static final MethodHandle TENSOR_MAP_ENCODE_TILED = find(
            "cuTensorMapEncodeTiled",
            ADDRESS,
            JAVA_INT,
            JAVA_INT,
            JAVA_LONG,
            ADDRESS,
            ADDRESS,
            ADDRESS,
            ADDRESS,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT);

    private CudaFunctions() {}

    private static SymbolLookup library() {
        for (String name : LIBRARIES) {
            try {
                return name.startsWith("/")
                        ? SymbolLookup.libraryLookup(java.nio.file.Path.of(name), Arena.global())
                        : SymbolLookup.libraryLookup(name, Arena.global());
            } catch (IllegalArgumentException _) {
                // not here: the next one
            }
        }
        throw new UnsatisfiedLinkError(LIBRARIES.getFirst() + " was not found");
    }

    private static MethodHandle find(String name, MemoryLayout... parameters) {
        return LINKER.downcallHandle(
                LIBRARY.find(name)
                        .orElseThrow(() -> new UnsatisfiedLinkError("the CUDA driver has no function " + name)),
                FunctionDescriptor.of(JAVA_INT, parameters));
    }
}
