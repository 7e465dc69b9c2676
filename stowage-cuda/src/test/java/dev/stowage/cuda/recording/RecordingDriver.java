package dev.stowage.cuda.recording;

import dev.stowage.cuda.driver.CudaException;
import dev.stowage.cuda.driver.DeviceAttribute;
import dev.stowage.cuda.driver.Dim3;
import dev.stowage.cuda.recording.FakeStream.Work;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A CUDA driver without a GPU. Device memory is memory of the host, so that transfers are real; work in streams is done
 * as late as possible; kernels are recorded, and computed by Java where a body is given. Any call can be made to fail.
 * Everything that is taken is counted, and memory that is freed while work on it is queued is noted.
 */
public final class RecordingDriver extends RecordingTransfers {

    private final int devices;
    private final Map<Integer, Integer> attributes = new HashMap<>(Map.of(
            DeviceAttribute.COMPUTE_CAPABILITY_MAJOR, 9,
            DeviceAttribute.COMPUTE_CAPABILITY_MINOR, 0,
            DeviceAttribute.MULTIPROCESSOR_COUNT, 132,
            DeviceAttribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 227 << 10,
            DeviceAttribute.L2_CACHE_SIZE, 50 << 20));
    private int version = 12090;

    /** A driver with one GPU of so much memory. */
    public RecordingDriver(long capacity) {
        this(1, capacity);
    }

    /** A driver with several GPUs, which share so much memory. */
    public RecordingDriver(int devices, long capacity) {
        super(capacity);
        this.devices = devices;
    }

    /** The same with another version of the driver. */
    public RecordingDriver withVersion(int newVersion) {
        version = newVersion;
        return this;
    }

    /** The same with another attribute of all GPUs. */
    public RecordingDriver withAttribute(int attribute, int value) {
        attributes.put(attribute, value);
        return this;
    }

    @Override
    public synchronized int driverVersion() {
        call("cuDriverGetVersion");
        return version;
    }

    @Override
    public synchronized int deviceCount() {
        call("cuDeviceGetCount");
        return devices;
    }

    @Override
    public synchronized String deviceName(int device) {
        call("cuDeviceGetName");
        return "Recording GPU";
    }

    @Override
    public synchronized int deviceAttribute(int device, int attribute) {
        call("cuDeviceGetAttribute");
        return attributes.getOrDefault(attribute, 0);
    }

    @Override
    public synchronized String devicePciBusId(int device) {
        call("cuDeviceGetPCIBusId");
        return "0000:00:00." + device;
    }

    @Override
    public synchronized Context primaryContextRetain(int device) {
        call("cuDevicePrimaryCtxRetain");
        contexts++;
        return new Context(1 + device);
    }

    /** The last release ends a broken context, with all that it had. */
    @Override
    public synchronized void primaryContextRelease(int device) {
        contexts--;
        if (contexts == 0 && faults.stickyError() != 0) {
            faults.recover();
            handles.clear();
            memory.clear();
            hostMemory.clear();
        }
        call("cuDevicePrimaryCtxRelease");
    }

    @Override
    public synchronized Stream streamCreate(Context context) {
        call("cuStreamCreate");
        return new Stream(handles.add(new FakeStream()));
    }

    @Override
    public synchronized void streamDestroy(Context context, Stream stream) {
        release(
                "cuStreamDestroy",
                () -> handles.remove(stream.handle(), FakeStream.class).finish());
    }

    @Override
    public synchronized void streamSynchronize(Context context, Stream stream) {
        await("cuStreamSynchronize", handles.get(stream.handle(), FakeStream.class)::finish);
    }

    @Override
    public synchronized void streamWaitEvent(Context context, Stream stream, EventHandle event) {
        call("cuStreamWaitEvent");
        FakeEvent.@Nullable Mark mark =
                handles.get(event.handle(), FakeEvent.class).mark();
        if (mark != null) {
            submit(stream, new Work(mark::await));
        }
    }

    @Override
    public synchronized EventHandle eventCreate(Context context, boolean timed) {
        call("cuEventCreate");
        return new EventHandle(handles.add(new FakeEvent()));
    }

    @Override
    public synchronized void eventDestroy(Context context, EventHandle event) {
        release("cuEventDestroy", () -> handles.remove(event.handle(), FakeEvent.class));
    }

    @Override
    public synchronized void eventRecord(Context context, EventHandle event, Stream stream) {
        call("cuEventRecord");
        FakeEvent.Mark mark = new FakeEvent.Mark(handles.get(stream.handle(), FakeStream.class));
        handles.get(event.handle(), FakeEvent.class).record(mark);
        submit(stream, new Work(() -> mark.reach(clock)));
    }

    @Override
    public synchronized boolean eventQuery(Context context, EventHandle event) {
        FakeEvent.@Nullable Mark mark =
                handles.get(event.handle(), FakeEvent.class).mark();
        await("cuEventQuery", () -> {});
        return mark == null || mark.poll();
    }

    @Override
    public synchronized void eventSynchronize(Context context, EventHandle event) {
        FakeEvent.@Nullable Mark mark =
                handles.get(event.handle(), FakeEvent.class).mark();
        await("cuEventSynchronize", mark == null ? () -> {} : mark::await);
    }

    @Override
    public synchronized float eventElapsedTime(Context context, EventHandle start, EventHandle end) {
        call("cuEventElapsedTime");
        FakeEvent.@Nullable Mark first =
                handles.get(start.handle(), FakeEvent.class).mark();
        FakeEvent.@Nullable Mark last =
                handles.get(end.handle(), FakeEvent.class).mark();
        if (first == null || last == null) {
            throw new CudaException("cuEventElapsedTime", 400, "an event that was never recorded");
        }
        return (last.nanos() - first.nanos()) / 1e6f;
    }

    @Override
    public synchronized Module moduleLoadData(Context context, MemorySegment image) {
        call("cuModuleLoadData");
        return new Module(handles.add(new Handles.Loaded("module")));
    }

    @Override
    public synchronized void moduleUnload(Context context, Module module) {
        release("cuModuleUnload", () -> handles.remove(module.handle(), Handles.Loaded.class));
    }

    @Override
    public synchronized Function moduleGetFunction(Context context, Module module, String name) {
        call("cuModuleGetFunction");
        return new Function(handles.name(name));
    }

    @Override
    public synchronized void funcSetMaxDynamicSharedSize(Context context, Function function, int bytes) {
        call("cuFuncSetAttribute");
    }

    @Override
    public synchronized int occupancyMaxActiveBlocks(
            Context context, Function function, int blockSize, int dynamicSharedBytes) {
        call("cuOccupancyMaxActiveBlocksPerMultiprocessor");
        return 1;
    }

    @Override
    public synchronized void launchKernel(
            Context context,
            Function function,
            Dim3 grid,
            Dim3 block,
            int sharedBytes,
            Stream stream,
            MemorySegment kernelParameters,
            int clusterSize,
            boolean dependent) {
        call("cuLaunchKernelEx");
        String name = handles.nameOf(function.handle());
        KernelBody body = bodies.get(name);
        KernelBody.Bound bound = body == null ? new KernelBody.Bound(() -> {}) : body.bind(kernelParameters);
        submit(
                stream,
                new Work(
                        () -> {
                            launches.add(name);
                            bound.work().run();
                        },
                        bound.ranges()));
    }

    @Override
    public synchronized void streamBeginCapture(Context context, Stream stream) {
        call("cuStreamBeginCapture");
        handles.get(stream.handle(), FakeStream.class).beginCapture();
    }

    @Override
    public synchronized CapturedGraph streamEndCapture(Context context, Stream stream) {
        List<Work> recorded = handles.get(stream.handle(), FakeStream.class).endCapture();
        call("cuStreamEndCapture");
        return new CapturedGraph(handles.add(new Handles.Captured(recorded)));
    }

    @Override
    public synchronized ExecutableGraph graphInstantiate(Context context, CapturedGraph graph) {
        call("cuGraphInstantiate");
        return new ExecutableGraph(handles.add(new Handles.Executable(
                handles.get(graph.handle(), Handles.Captured.class).work())));
    }

    @Override
    public synchronized void graphLaunch(Context context, ExecutableGraph graph, Stream stream) {
        call("cuGraphLaunch");
        FakeStream target = handles.get(stream.handle(), FakeStream.class);
        handles.get(graph.handle(), Handles.Executable.class).work().forEach(target::add);
    }

    @Override
    public synchronized void graphExecDestroy(Context context, ExecutableGraph graph) {
        release("cuGraphExecDestroy", () -> handles.remove(graph.handle(), Handles.Executable.class));
    }

    @Override
    public synchronized void graphDestroy(Context context, CapturedGraph graph) {
        release("cuGraphDestroy", () -> handles.remove(graph.handle(), Handles.Captured.class));
    }

    @Override
    public synchronized void tensorMapEncode2d(
            MemorySegment map, long address, long columns, long rows, long rowBytes, int boxColumns, int boxRows) {
        call("cuTensorMapEncodeTiled");
    }

    @Override
    public synchronized void tensorMapEncode(
            MemorySegment map, long address, long[] sizes, long[] strides, int[] box) {
        call("cuTensorMapEncodeTiled");
    }

    @Override
    public synchronized boolean deviceCanAccessPeer(int device, int peer) {
        call("cuDeviceCanAccessPeer");
        return true;
    }

    @Override
    public synchronized void ctxEnablePeerAccess(Context context, Context peer) {
        call("cuCtxEnablePeerAccess");
    }
}
