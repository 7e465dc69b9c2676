package dev.stowage.cuda.program;

import dev.stowage.cuda.driver.CudaException;
import dev.stowage.cuda.driver.Driver;
import dev.stowage.cuda.kernel.KernelLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A graph as launches in a stream. The first run puts them into the stream one by one; a program that runs again is
 * captured as a CUDA graph, and from then on a run is one call. Used by one thread at a time.
 */
public final class Program implements AutoCloseable {

    /** Is called around the launches that compute some nodes. */
    public interface GroupListener {

        /** Before launches that compute these nodes of the graph, in ascending order. */
        void before(List<Integer> nodes);

        /** After those launches were put into the stream. */
        void after(List<Integer> nodes);
    }

    private final Driver driver;
    private final Driver.Context context;
    private final ScratchPool pool;
    private final LaunchList list;
    private final LaunchList.ScratchPlan scratch;
    private final Driver.Function[] functions;
    private @Nullable Arena arena;
    private @Nullable EncodedArguments encoding;
    private final @Nullable MemorySegment[] arguments;
    private long encodedFor = -1;
    private boolean hasRun;
    private Driver.@Nullable ExecutableGraph captured;

    /**
     * A program of these launches.
     *
     * @throws CudaException if a kernel cannot be loaded
     */
    public Program(Driver driver, Driver.Context context, KernelLibrary kernels, ScratchPool pool, LaunchList list) {
        this.driver = driver;
        this.context = context;
        this.pool = pool;
        this.list = list;
        this.scratch = list.planScratch();
        List<LaunchList.Action> actions = list.actions();
        this.functions = new Driver.Function[actions.size()];
        this.arguments = new MemorySegment[actions.size()];
        for (int i = 0; i < functions.length; i++) {
            if (actions.get(i) instanceof LaunchList.Run(Launch launch)) {
                functions[i] = kernels.function(launch.kernel(), launch.sharedBytes());
            }
        }
    }

    /** The scratch memory it needs. */
    public long scratchBytes() {
        return scratch.bytes();
    }

    /** How many launches and fills it has. */
    public int size() {
        return list.actions().size();
    }

    /** Puts the program into a stream. */
    public void run(Driver.Stream stream) {
        if (list.actions().isEmpty()) {
            return;
        }
        encode();
        if (!hasRun) {
            submit(stream);
            hasRun = true;
            return;
        }
        Driver.ExecutableGraph graph = captured;
        if (graph == null) {
            graph = capture(stream);
            captured = graph;
        }
        driver.graphLaunch(context, graph, stream);
    }

    /** Puts the program into a stream one launch at a time, with calls around those of each group of nodes. */
    public void run(Driver.Stream stream, GroupListener listener) {
        encode();
        for (LaunchList.Group group : list.groups()) {
            listener.before(group.nodes());
            for (int i = group.firstAction(); i < group.endAction(); i++) {
                submit(i, stream);
            }
            listener.after(group.nodes());
        }
    }

    private Driver.ExecutableGraph capture(Driver.Stream stream) {
        driver.streamBeginCapture(context, stream);
        Driver.CapturedGraph graph;
        try {
            submit(stream);
        } catch (RuntimeException | Error e) {
            abandonCapture(stream, e);
            throw e;
        }
        graph = driver.streamEndCapture(context, stream);
        try {
            return driver.graphInstantiate(context, graph);
        } finally {
            discard(graph);
        }
    }

    /** A graph that cannot be destroyed is no reason to lose the one that was made of it. */
    private void discard(Driver.CapturedGraph graph) {
        try {
            driver.graphDestroy(context, graph);
        } catch (CudaException ignored) {
            // It goes with the context.
        }
    }

    private void abandonCapture(Driver.Stream stream, Throwable because) {
        try {
            driver.graphDestroy(context, driver.streamEndCapture(context, stream));
        } catch (RuntimeException e) {
            because.addSuppressed(e);
        }
    }

    private void submit(Driver.Stream stream) {
        for (int i = 0; i < functions.length; i++) {
            submit(i, stream);
        }
    }

    private void submit(int i, Driver.Stream stream) {
        switch (list.actions().get(i)) {
            case LaunchList.Run(Launch launch) -> {
                MemorySegment encoded = arguments[i];
                if (encoded == null) {
                    throw new IllegalStateException("a launch without arguments");
                }
                driver.launchKernel(
                        context,
                        functions[i],
                        launch.grid(),
                        launch.block(),
                        launch.sharedBytes(),
                        stream,
                        encoded,
                        launch.clusterSize(),
                        launch.isDependent() && list.gpu().isHopper());
            }
            case LaunchList.Fill(Scratch filled, long bytes, byte value) -> {
                EncodedArguments current = encoding;
                if (current == null) {
                    throw new IllegalStateException("a fill before its place is known");
                }
                driver.memsetD8Async(context, current.address(filled), value, bytes, stream);
            }
        }
    }

    /** Writes the arguments, again where scratch memory has moved. */
    private void encode() {
        // Without scratch memory it does not matter that others have it moved.
        long address = scratch.bytes() == 0 ? 0 : pool.reserve(scratch.bytes());
        if (address == encodedFor) {
            return;
        }
        dropCaptured();
        if (arena != null) {
            arena.close();
        }
        Arena next = Arena.ofShared();
        arena = next;
        EncodedArguments values = new EncodedArguments(driver, scratch, address);
        for (int i = 0; i < functions.length; i++) {
            if (list.actions().get(i) instanceof LaunchList.Run(Launch launch)) {
                arguments[i] = values.encode(launch, next);
            }
        }
        encoding = values;
        encodedFor = address;
    }

    private void dropCaptured() {
        Driver.ExecutableGraph graph = captured;
        captured = null;
        if (graph != null) {
            driver.graphExecDestroy(context, graph);
        }
    }

    /** Frees the captured graph; what runs of it in the stream goes on to its end. */
    @Override
    public void close() {
        try {
            dropCaptured();
        } finally {
            abandon();
        }
    }

    /** As {@link #close()}, but leaves the driver alone: on a lost device the captured graph is gone with it. */
    public void abandon() {
        captured = null;
        Arena values = arena;
        arena = null;
        encodedFor = -1;
        if (values != null) {
            values.close();
        }
    }
}
