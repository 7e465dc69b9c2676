package dev.stowage.bench.ggml.schedule;

import dev.stowage.bench.ggml.GgmlAllocatorFunctions;
import dev.stowage.bench.ggml.GgmlLibrary;
import dev.stowage.bench.ggml.GgmlTensor;
import dev.stowage.bench.ggml.schedule.LiveScheduleCase.Place;
import dev.stowage.device.Backend;
import dev.stowage.error.StowageException;
import dev.stowage.error.UnsupportedOpException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.plan.PlanValidator;
import dev.stowage.plan.PlanViolation;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.Scheduler;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.recording.RecordingBufferType;
import dev.stowage.testkit.recording.RecordingDevice;
import dev.stowage.testkit.simulated.Call;
import dev.stowage.testkit.simulated.CallLog;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Has our scheduler and ggml's bind and run the same graph over the same devices several times, and lists where they
 * differ: the device of every tensor, splits, the place of every tensor, sizes, and every call to a device.
 */
final class ScheduleComparison implements AutoCloseable {

    /** What ggml would end the process for, and Stowage refuses too. */
    static final String REFUSED = "refused";

    /** What ggml would end the process for, and Stowage runs. */
    static final String BEYOND_GGML = "beyond ggml";

    /** What Stowage means to do otherwise. */
    static final String OTHERWISE = "otherwise";

    /** So many times as much room as there are tensors, for copies. */
    private static final long ROOM = 8;

    private static final int LONGEST_CALL = 120;
    private static final int ROUNDS = 3;
    private static final int PIPELINED_ROUNDS = 6;

    private final GgmlLibrary library;
    private final LiveScheduleCase asked;
    private final Graph graph;
    private final CallLog log = new CallLog();
    private final Map<String, RecordingBufferType> types = new HashMap<>();
    private final List<Buffer> weights = new ArrayList<>();
    private final List<Backend> backends = new ArrayList<>();
    private final List<String> differences = new ArrayList<>();

    private ScheduleComparison(GgmlLibrary library, LiveScheduleCase asked) {
        this.library = library;
        this.asked = asked;
        this.graph = asked.graph();
        for (NoOpRules rules : asked.devices()) {
            backends.add(device(rules).open());
        }
        asked.places().forEach(this::place);
    }

    /** What differs; a single line that starts with one of the words above where there is a reason for it. */
    static List<String> differences(GgmlLibrary library, LiveScheduleCase asked) {
        try (ScheduleComparison comparison = new ScheduleComparison(library, asked)) {
            comparison.compare();
            return List.copyOf(comparison.differences);
        }
    }

    private RecordingDevice device(NoOpRules rules) {
        RecordingBufferType memory =
                types.computeIfAbsent(rules.memory().name(), _ -> RecordingBufferType.of(rules.memory(), log));
        return RecordingDevice.named(rules.name(), memory)
                .type(rules.type())
                .supporting(rules.supported())
                .offloading(rules.offloaded())
                .reading(rules.readable())
                .asyncCopies(rules.copiesAsync())
                .events(rules.hasEvents())
                .build();
    }

    private void place(Tensor tensor, Place place) {
        RecordingBufferType type = Objects.requireNonNull(types.get(place.memory()));
        Buffer buffer = type.allocate(type.allocationSize(tensor));
        buffer.setUsage(place.usage()).place(tensor, 0);
        weights.add(buffer);
    }

    private void compare() {
        ScheduleOptions options = ScheduleOptions.defaults().withOffloadedOps(asked.offloads());
        try (Scheduler ours = Scheduler.over(backends, asked.isPipelined() ? options.withPipeline() : options)) {
            BoundSchedule bound;
            try {
                bound = ours.bind(ours.request(graph).assign(asked.assignments()));
            } catch (StowageException e) {
                expectEnd(e);
                return;
            }
            Schedule schedule = bound.schedule();
            ScheduleDeviations deviations = new ScheduleDeviations(asked, schedule);
            String limits = deviations.limits();
            if (!limits.isEmpty()) {
                differences.add(BEYOND_GGML + ": " + limits);
                return;
            }
            compareWithGgml(ours, bound);
            String reason = differences.isEmpty() ? "" : deviations.reason();
            if (!reason.isEmpty()) {
                differences.clear();
                differences.add(OTHERWISE + ": " + reason);
            }
            for (PlanViolation violation : PlanValidator.check(schedule.plan())) {
                differences.addFirst("the plan breaks a rule: " + violation.message());
            }
        }
    }

    /** Asks ggml for what Stowage refuses, which should end the process; what is printed will be its last words. */
    private void expectEnd(StowageException refusal) {
        System.out.println(REFUSED + ": " + refusal.getMessage());
        try (GgmlNoOpDevices devices = GgmlNoOpDevices.of(library, asked.devices());
                ScheduleMirror mirror = ScheduleMirror.of(devices, graph);
                GgmlScheduler theirs = newScheduler(devices)) {
            assign(theirs, mirror);
            theirs.allocate(mirror);
            // No device both computes a node and reaches the memory it writes to; ggml has one write there all the
            // same.
            boolean isMeant = refusal instanceof UnsupportedOpException;
            differences.add(
                    isMeant
                            ? OTHERWISE + ": no device that computes a node reaches what it writes into"
                            : "ggml has memory for it, but it is refused here: " + refusal.getMessage());
        }
    }

    private GgmlScheduler newScheduler(GgmlNoOpDevices devices) {
        return GgmlScheduler.over(devices, ROOM * (graph.size() + ROOM), asked.isPipelined(), asked.offloads());
    }

    private void assign(GgmlScheduler theirs, ScheduleMirror mirror) {
        asked.assignments().forEach((tensor, device) -> theirs.assign(mirror.tensor(graph.idOf(tensor)), device));
    }

    private void compareWithGgml(Scheduler ours, BoundSchedule bound) {
        int rounds = asked.isPipelined() ? PIPELINED_ROUNDS : ROUNDS;
        try (GgmlNoOpDevices devices = GgmlNoOpDevices.of(library, asked.devices());
                ScheduleMirror mirror = ScheduleMirror.of(devices, graph);
                GgmlScheduler theirs = newScheduler(devices)) {
            for (int round = 0; round < rounds && differences.isEmpty(); round++) {
                if (round > 0) {
                    theirs.reset();
                    mirror.restore();
                    bound.advance();
                }
                assign(theirs, mirror);
                theirs.allocate(mirror);
                compareSchedules(bound.schedule(), mirror, theirs);
                comparePlaces(bound, mirror, round);
                compareSizes(ours, theirs);
                compareRuns(bound, theirs, mirror, round);
            }
        }
    }

    private void compareSchedules(Schedule ours, ScheduleMirror mirror, GgmlScheduler theirs) {
        for (int id = 0; id < graph.nodeCount() + graph.leafCount(); id++) {
            int here = ours.assignment().device(id);
            int there = theirs.deviceOf(mirror.tensor(id));
            if (here != there) {
                differences.add(describe(id) + " is on " + name(here) + " ("
                        + ours.assignment().reason(id) + "), in ggml on " + name(there));
            }
        }
        compare("splits", ours.splitCount(), theirs.splitCount());
        compare("copies", ours.copies(), theirs.copyCount());
    }

    private String name(int device) {
        return device < 0 ? "nothing" : asked.devices().get(device).name();
    }

    private void comparePlaces(BoundSchedule bound, ScheduleMirror mirror, int round) {
        GgmlAllocatorFunctions functions = library.functions().allocators();
        for (int id = 0; id < graph.size(); id++) {
            GgmlTensor theirs = mirror.tensor(id);
            if (graph.viewSource(id) == Graph.NO_ID && theirs.data() != 0) {
                BoundTensor ours = bound.tensor(graph.tensor(id));
                String here = ours.buffer().name() + " at " + ours.offset();
                String there = functions.name(functions.type(theirs.buffer())) + " at "
                        + (theirs.data() - functions.base(theirs.buffer()));
                compare("place of " + describe(id) + " in round " + round, here, there);
            }
        }
    }

    private void compareSizes(Scheduler ours, GgmlScheduler theirs) {
        for (int device = 0; device < backends.size(); device++) {
            compare(
                    "bytes of " + backends.get(device).name(),
                    ours.bufferSize(backends.get(device)),
                    theirs.bufferSize(device));
        }
    }

    private void compareRuns(BoundSchedule ours, GgmlScheduler theirs, ScheduleMirror mirror, int round) {
        log.clear();
        ours.runAsync();
        library.noOps().record(true);
        theirs.runAsync(mirror);
        List<String> expected = NoOpTrace.lines(library.noOps(), asked.devices(), address -> name(mirror, address));
        library.noOps().record(false);
        List<String> found = log.calls().stream().map(this::text).toList();
        int same = 0;
        while (same < expected.size()
                && same < found.size()
                && expected.get(same).equals(found.get(same))) {
            same++;
        }
        if (same < Math.max(expected.size(), found.size())) {
            differences.add(
                    "call " + same + " of round " + round + ": " + at(found, same) + ", in ggml " + at(expected, same));
        }
    }

    private String text(Call call) {
        return switch (call) {
            case Call.Compute compute ->
                "compute(" + compute.device() + ","
                        + compute.nodes().stream().map(this::text).collect(Collectors.joining(",", "[", "]")) + ")";
            case Call.CopyAsync copy -> "copy_async(" + text(copy.source()) + "," + text(copy.copy()) + ")";
            case Call.Set set -> "set(" + text(set.tensor()) + ")";
            case Call.Get get -> "get(" + text(get.tensor()) + ")";
            case Call.Sync _, Call.EventRecord _, Call.EventWait _, Call.EventSync _ -> call.toString();
        };
    }

    private String text(Tensor tensor) {
        return graph.contains(tensor) ? graph.label(graph.idOf(tensor)) : GgmlTensor.fitting(tensor.name());
    }

    private String name(ScheduleMirror mirror, long address) {
        return mirror.id(address)
                .map(graph::label)
                .orElseGet(() -> GgmlTensor.at(MemorySegment.ofAddress(address)).name());
    }

    private static String at(List<String> calls, int index) {
        String call = index < calls.size() ? calls.get(index) : "nothing";
        return call.length() <= LONGEST_CALL ? call : call.substring(0, LONGEST_CALL) + "...";
    }

    private String describe(int id) {
        return graph.label(id) + " (" + graph.op(id) + ")";
    }

    private void compare(String what, Object here, Object there) {
        if (!here.equals(there)) {
            differences.add(what + ": " + here + ", in ggml " + there);
        }
    }

    @Override
    public void close() {
        backends.forEach(Backend::close);
        weights.forEach(Buffer::close);
    }
}
