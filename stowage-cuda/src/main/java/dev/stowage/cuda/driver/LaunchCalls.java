package dev.stowage.cuda.driver;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** And those for kernels, their launches, and graphs of launches. */
abstract class LaunchCalls extends StreamCalls {

    private static final int MAX_DYNAMIC_SHARED_SIZE = 8;
    private static final int CAPTURE_THREAD_LOCAL = 1;
    /** {@code CU_TENSOR_MAP_DATA_TYPE_FLOAT16}, which only says that elements have two bytes. */
    private static final int TENSOR_MAP_F16 = 6;

    private static final int SWIZZLE_128 = 3;
    private static final int PROMOTE_L2_256 = 3;

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
