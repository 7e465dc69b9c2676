package dev.stowage.bench.schedule;

import dev.stowage.bench.ggml.GgmlLibrary;
import dev.stowage.bench.ggml.schedule.GgmlNoOpDevices;
import dev.stowage.bench.ggml.schedule.GgmlScheduler;
import dev.stowage.bench.ggml.schedule.LayerSplit;
import dev.stowage.bench.ggml.schedule.ScheduleMirror;
import dev.stowage.graph.Graph;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.Planner;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.ScheduleRequest;
import dev.stowage.schedule.Scheduler;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Scheduling one transformer graph over two accelerators and a processor, allocating it and running it, by Stowage and
 * by ggml in the same process, on devices that do nothing.
 *
 * <table>
 * <caption>What is measured</caption>
 * <tr><th>benchmark</th><th>Stowage</th><th>ggml</th></tr>
 * <tr><td>split</td><td>a schedule up to the request for a plan</td><td>reset, split_graph</td></tr>
 * <tr><td>firstGraph</td><td>close, bind</td><td>as nextGraph</td></tr>
 * <tr><td>nextGraph</td><td>rebind of a structurally identical graph</td><td>reset, alloc_graph of another</td></tr>
 * <tr><td>rebind</td><td>advance of the graph that is bound</td><td>there is no such thing: as nextGraph</td></tr>
 * <tr><td>run</td><td>runAsync of a bound graph</td><td>graph_compute_async of an allocated one</td></tr>
 * </table>
 *
 * <p>All memory has been taken before. Binding changes nothing in our graphs. ggml changes the graph it schedules, so before
 * each call of the first three its tensors are put back, byte for byte, which is not measured.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 6, time = 1)
@Measurement(iterations = 8, time = 1)
@Fork(value = 1, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class SchedulingBenchmark {

    /** The model, and a scheduler of each kind that has it bound. */
    @State(Scope.Thread)
    public static class Spread {

        @Param({"HALVES", "ALTERNATING", "OFFLOAD"})
        private LayerSplit setting;

        @Param({"llama-3-8b"})
        private String model;

        @Param({"512"})
        private int tokens;

        private SplitModel spread;
        private Scheduler stowage;
        private BoundSchedule bound;
        private ScheduleOptions options;
        private GgmlNoOpDevices devices;
        private ScheduleMirror[] mirrors;
        private GgmlScheduler ggml;

        @Setup(Level.Trial)
        public void open() {
            spread = new SplitModel(model, tokens, setting);
            options = ScheduleOptions.defaults().withOffloadedOps(setting.offloads());
            devices = GgmlNoOpDevices.of(GgmlLibrary.open(), setting.devices());
            mirrors = new ScheduleMirror[] {
                ScheduleMirror.of(devices, spread.graph(0)), ScheduleMirror.of(devices, spread.graph(1))
            };
            ggml = GgmlScheduler.over(devices, spread.room(), false, setting.offloads());
            stowage = Scheduler.over(spread.backends(), options);
            bound = stowage.bind(spread.graph(0));
            Schedule schedule = bound.schedule();
            options = options.withPlanner(new KnownPlan(schedule.plan()));
            ggml.allocate(mirrors[0]);
            requireSameWork(schedule);
        }

        private void requireSameWork(Schedule schedule) {
            StringBuilder sizes = new StringBuilder();
            boolean isSame = schedule.splitCount() == ggml.splitCount();
            for (int device = 0; device < devices.rules().size(); device++) {
                isSame &= schedule.computeSize(device) == ggml.bufferSize(device);
                sizes.append(' ')
                        .append(schedule.computeSize(device))
                        .append('/')
                        .append(ggml.bufferSize(device));
            }
            String work = spread.graph(0).nodeCount() + " nodes, " + schedule.splitCount() + " splits, in ggml "
                    + ggml.splitCount() + ", bytes here and in ggml:" + sizes;
            if (!isSame) {
                throw new IllegalStateException("not the same work: " + work);
            }
            System.out.println("# " + work);
        }

        @TearDown(Level.Trial)
        public void close() {
            stowage.close();
            ggml.close();
            for (ScheduleMirror mirror : mirrors) {
                mirror.close();
            }
            devices.close();
            spread.close();
        }
    }

    /** One of our graphs, not the one of the last call. */
    @State(Scope.Thread)
    public static class Fresh {

        private int number;
        private Graph graph;

        @Setup(Level.Invocation)
        public void next(Spread spread) {
            number = 1 - number;
            graph = spread.spread.graph(number);
        }
    }

    /** One of ggml's graphs, not the one of the last call, as if it had just been built. */
    @State(Scope.Thread)
    public static class FreshInGgml {

        private int number;
        private ScheduleMirror graph;

        @Setup(Level.Invocation)
        public void restore(Spread spread) {
            number = 1 - number;
            spread.mirrors[number].restore();
            graph = spread.mirrors[number];
        }
    }

    /** A planner that has planned already, so that all but planning is left. */
    private record KnownPlan(MemoryPlan plan) implements Planner {

        @Override
        public String name() {
            return "known";
        }

        @Override
        public MemoryPlan plan(PlanRequest request) {
            return plan;
        }
    }

    @Benchmark
    public Schedule splitByStowage(Spread spread, Fresh fresh) {
        return Schedule.of(ScheduleRequest.of(fresh.graph, spread.stowage.devices(), spread.options));
    }

    @Benchmark
    public void splitByGgml(Spread spread, FreshInGgml fresh) {
        spread.ggml.reset();
        spread.ggml.split(fresh.graph);
    }

    @Benchmark
    public BoundSchedule firstGraphByStowage(Spread spread, Fresh fresh) {
        spread.bound.close();
        spread.bound = spread.stowage.bind(fresh.graph);
        return spread.bound;
    }

    @Benchmark
    public BoundSchedule nextGraphByStowage(Spread spread, Fresh fresh) {
        spread.bound = spread.stowage.rebind(spread.bound, fresh.graph);
        return spread.bound;
    }

    /** As the first as any other: ggml keeps nothing from one graph to the next but the places. */
    @Benchmark
    public void nextGraphByGgml(Spread spread, FreshInGgml fresh) {
        spread.ggml.reset();
        spread.ggml.allocate(fresh.graph);
    }

    @Benchmark
    public BoundSchedule rebindByStowage(Spread spread) {
        spread.bound.advance();
        return spread.bound;
    }

    @Benchmark
    public void runByStowage(Spread spread) {
        spread.bound.runAsync();
    }

    @Benchmark
    public void runByGgml(Spread spread) {
        spread.ggml.runAsync(spread.mirrors[0]);
    }
}
