package dev.stowage.cpu;

import dev.stowage.cpu.program.Fusions;
import dev.stowage.cpu.program.OpKernels;
import dev.stowage.cpu.program.Program;
import dev.stowage.cpu.team.ThreadTeam;
import dev.stowage.cpu.team.Workers;
import dev.stowage.device.Backend;
import dev.stowage.device.BackendOptions;
import dev.stowage.device.PreparedGraph;
import dev.stowage.device.RunListener;
import dev.stowage.error.ClosedException;
import dev.stowage.graph.Graph;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs graphs in the thread that calls, with help of workers that all backends of the process share; everything is done
 * when a call returns. Closing it closes the graphs that were prepared on it.
 */
final class CpuBackend extends Backend {

    private static final System.Logger LOGGER = System.getLogger("dev.stowage.cpu");

    /** One set of threads for all backends: more threads than processors only get in each other's way. */
    private static final Workers WORKERS = new Workers(Runtime.getRuntime().availableProcessors(), "stowage-cpu");

    /** The most threads that somebody was warned about, so that nobody is warned with every session. */
    private static final AtomicInteger WARNED = new AtomicInteger();

    private final OpKernels kernels;
    private final Fusions fusions;
    private final BooleanSupplier abort;
    private final @Nullable RunListener listener;
    private final ThreadTeam team;

    /** Those that are open; they may be closed by other threads than the one that uses the backend. */
    private final Set<Prepared> prepared = ConcurrentHashMap.newKeySet();

    CpuBackend(CpuDevice device, BackendOptions options, OpKernels kernels, Fusions fusions) {
        super(device);
        this.kernels = kernels;
        this.fusions = fusions;
        this.abort = options.abort();
        this.listener = options.listener().orElse(null);
        this.team = new ThreadTeam(WORKERS, threads(options));
    }

    private static int threads(BackendOptions options) {
        int wanted = options.threads() == 0 ? Processor.physicalCores() : options.threads();
        int most = WORKERS.processors();
        if (wanted > most && WARNED.getAndAccumulate(wanted, Math::max) < wanted) {
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    wanted + " threads were asked for, but the process has " + most
                            + (most == 1 ? " processor" : " processors") + ": " + most + " will be used");
        }
        return Math.min(wanted, most);
    }

    @Override
    protected void run(Graph graph) {
        try (Program program = program(graph)) {
            run(program);
        }
    }

    private void run(Program program) {
        RunListener told = listener;
        if (told == null) {
            program.run(team, name(), abort);
        } else {
            program.run(team, this, abort, told);
        }
    }

    private Program program(Graph graph) {
        return Program.of(graph, kernels, fusions, team.threads());
    }

    @Override
    protected PreparedGraph makeReady(Graph graph) {
        Prepared made = new Prepared(program(graph));
        prepared.add(made);
        return made;
    }

    @Override
    protected void release() {
        List.copyOf(prepared).forEach(Prepared::close);
        team.close();
    }

    /**
     * A program that stays. It may be closed by any thread at any time: a run that is under way keeps what it uses until
     * it is over, and {@code close} does not wait for that.
     */
    private final class Prepared implements PreparedGraph {

        private final Runnable work = this::runNow;
        private volatile Program program;
        private volatile boolean closed;

        Prepared(Program program) {
            this.program = program;
        }

        @Override
        public Graph graph() {
            return program.graph();
        }

        @Override
        public void update(Graph newGraph) {
            requireOpen();
            inTurn("update", () -> updateNow(newGraph));
        }

        private void updateNow(Graph newGraph) {
            Program before = program;
            program = program(newGraph);
            before.close();
            if (closed) {
                program.close();
            }
        }

        @Override
        public void computeAsync() {
            requireOpen();
            inTurn("compute", work);
        }

        private void runNow() {
            run(program);
        }

        @Override
        public void close() {
            closed = true;
            prepared.remove(this);
            program.close();
        }

        private void requireOpen() {
            if (closed) {
                throw new ClosedException("the prepared graph is closed; prepare it again");
            }
        }
    }
}
