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
 * captured as a CUDA graph, and from then on a run is one call. A transfer of its inputs that is the same before each run is
 * captured with it. Used by one thread at a time.
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
    private final KernelLibrary kernels;
    private final ScratchPool pool;
    private final IndexReport report;
    private final HostWrite inputs;
    private final LaunchList list;
    private final LaunchList.ScratchPlan scratch;
    private final Driver.Function[] functions;
    private @Nullable Arena arena;
    private @Nullable EncodedArguments encoding;
    private final @Nullable MemorySegment[] arguments;
    private long encodedFor = -1;
    private boolean hasRun;
    private Driver.@Nullable ExecutableGraph captured;
    /** The same graph after a transfer, and the transfer before the last run that it did not do. */
    private Driver.@Nullable ExecutableGraph capturedWithInputs;

    private HostWrite.@Nullable Captured inputsOfGraph;
    private HostWrite.@Nullable Captured inputsBefore;

    /**
     * A program of these launches.
     *
     * @param inputs a transfer that waits for the program, or for whatever comes first
     * @throws CudaException if a kernel cannot be loaded
     */
    public Program(
            Driver driver,
            Driver.Context context,
            KernelLibrary kernels,
            ScratchPool pool,
            IndexReport report,
            HostWrite inputs,
            LaunchList list) {
        this.driver = driver;
        this.context = context;
        this.kernels = kernels;
        this.pool = pool;
        this.report = report;
        this.inputs = inputs;
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
            rememberInputs();
            inputs.submit();
            submit(stream);
            hasRun = true;
            return;
        }
        driver.graphLaunch(context, graph(stream), stream);
    }

    /** The captured graph to launch: with the transfer that waits, where that is the one before the last run too. */
    private Driver.ExecutableGraph graph(Driver.Stream stream) {
        if (!inputs.isEmpty()) {
            Driver.ExecutableGraph graph = graphWithInputs(stream);
            if (graph != null) {
                inputs.drop();
                return graph;
            }
            rememberInputs();
            inputs.submit();
        }
        Driver.ExecutableGraph graph = captured;
        if (graph == null) {
            graph = capture(stream, null);
            captured = graph;
        }
        return graph;
    }

    private void rememberInputs() {
        inputsBefore = inputs.isEmpty() ? null : inputs.captured();
    }

    private Driver.@Nullable ExecutableGraph graphWithInputs(Driver.Stream stream) {
        Driver.ExecutableGraph known = capturedWithInputs;
        if (known != null && inputsOfGraph != null && inputsOfGraph.isThat(inputs)) {
            return known;
        }
        HostWrite.Captured before = inputsBefore;
        if (before == null || !before.isThat(inputs)) {
            return null;
        }
        dropWithInputs();
        Driver.ExecutableGraph made = capture(stream, before);
        capturedWithInputs = made;
        inputsOfGraph = before;
        return made;
    }

    /** Puts the program into a stream one launch at a time, with calls around those of each group of nodes. */
    public void run(Driver.Stream stream, GroupListener listener) {
        encode();
        inputs.submit();
        for (LaunchList.Group group : list.groups()) {
            listener.before(group.nodes());
            for (int i = group.firstAction(); i < group.endAction(); i++) {
                submit(i, stream);
            }
            listener.after(group.nodes());
        }
    }

    private Driver.ExecutableGraph capture(Driver.Stream stream, HostWrite.@Nullable Captured first) {
        if (first == null) {
            return GraphCapture.of(driver, context, stream, () -> submit(stream));
        }
        // Code is not loaded while a stream is captured.
        Launch launch = first.launch();
        Driver.Function function = kernels.function(launch.kernel(), launch.sharedBytes());
        return GraphCapture.of(driver, context, stream, () -> {
            submit(launch, function, stream);
            submit(stream);
        });
    }

    private void submit(Launch launch, Driver.Function function, Driver.Stream stream) {
        try (Arena values = Arena.ofConfined()) {
            driver.launchKernel(
                    context,
                    function,
                    launch.grid(),
                    launch.block(),
                    launch.sharedBytes(),
                    stream,
                    new EncodedArguments(driver, scratch, 0, report).encode(launch, values),
                    launch.clusterSize(),
                    false);
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
        EncodedArguments values = new EncodedArguments(driver, scratch, address, report);
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
        try {
            dropWithInputs();
        } finally {
            if (graph != null) {
                driver.graphExecDestroy(context, graph);
            }
        }
    }

    private void dropWithInputs() {
        Driver.ExecutableGraph graph = capturedWithInputs;
        capturedWithInputs = null;
        inputsOfGraph = null;
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
        capturedWithInputs = null;
        Arena values = arena;
        arena = null;
        encodedFor = -1;
        if (values != null) {
            values.close();
        }
    }
}
