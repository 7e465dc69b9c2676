package dev.stowage.testkit.golden;

import dev.stowage.device.Backend;
import dev.stowage.device.Device;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferUsage;
import dev.stowage.plan.PlanValidator;
import dev.stowage.plan.PlanViolation;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.ScheduleRequest;
import dev.stowage.schedule.Scheduler;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.golden.SchedCase.GoldenDevice;
import dev.stowage.testkit.recording.RecordingBufferType;
import dev.stowage.testkit.recording.RecordingDevice;
import dev.stowage.testkit.simulated.Call;
import dev.stowage.testkit.simulated.CallLog;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Compares the scheduler with what ggml's did: the device of every node and leaf, splits, sizes, and every call to a
 * device in the same order. The devices record their calls and hold no memory.
 */
public final class SchedConformance {

    private final SchedCase golden;
    private final CallLog log = new CallLog();
    private final Map<String, RecordingBufferType> types = new HashMap<>();
    private final Map<Tensor, Integer> fileIds = new HashMap<>();
    private final List<String> failures = new ArrayList<>();

    private SchedConformance(SchedCase golden) {
        this.golden = golden;
        for (int id : golden.tensors().fileIds()) {
            fileIds.put(golden.tensors().tensor(id), id);
        }
    }

    /** What differs in one case, a line each, naming case, what, expected and found; empty when all is the same. */
    public static List<String> failures(SchedCase golden) {
        SchedConformance conformance = new SchedConformance(golden);
        conformance.run();
        return List.copyOf(conformance.failures);
    }

    private void run() {
        List<Backend> backends =
                golden.devices().stream().map(this::device).map(Device::open).toList();
        List<Buffer> weights = placeWeights();
        ScheduleOptions options = ScheduleOptions.defaults().withOffloadedOps(golden.offloadsOps());
        try (Scheduler scheduler = Scheduler.over(backends, golden.isPipelined() ? options.withPipeline() : options)) {
            BoundSchedule bound = scheduler.bind(request(scheduler));
            log.clear();
            bound.runAsync();
            compare(bound.schedule(), scheduler, backends);
        } finally {
            backends.forEach(Backend::close);
            weights.forEach(Buffer::close);
        }
    }

    private ScheduleRequest request(Scheduler scheduler) {
        ScheduleRequest request = scheduler.request(golden.graph());
        for (Map.Entry<Integer, Integer> assigned : golden.assignments().entrySet()) {
            request = request.assign(golden.tensors().tensor(assigned.getKey()), assigned.getValue());
        }
        return request;
    }

    private RecordingDevice device(GoldenDevice device) {
        RecordingBufferType type = types.computeIfAbsent(
                device.bufferType().name(), _ -> RecordingBufferType.of(device.bufferType(), log));
        var builder = RecordingDevice.named(device.name(), type)
                .type(device.type())
                .offloading(device.offloadedOps())
                .reading(device.readable())
                .asyncCopies(device.copiesAsync())
                .events(device.hasEvents());
        device.supportedOps().ifPresent(builder::supporting);
        return builder.build();
    }

    private List<Buffer> placeWeights() {
        List<Buffer> weights = new ArrayList<>();
        for (int id : golden.tensors().fileIds()) {
            Tensor tensor = golden.tensors().tensor(id);
            golden.tensors().bufferType(id).map(types::get).ifPresent(type -> {
                Buffer buffer = type.allocate(type.allocationSize(tensor));
                buffer.setUsage(BufferUsage.WEIGHTS).place(tensor, 0);
                weights.add(buffer);
            });
        }
        return weights;
    }

    private void compare(Schedule schedule, Scheduler scheduler, List<Backend> backends) {
        Graph graph = golden.graph();
        SchedExpectation expected = golden.expected();
        for (int node = 0; node < graph.nodeCount(); node++) {
            compareDevice(schedule, node, expected.nodeDevices().get(node));
        }
        for (int leaf = 0; leaf < graph.leafCount(); leaf++) {
            compareDevice(
                    schedule, graph.nodeCount() + leaf, expected.leafDevices().get(leaf));
        }
        compare("splits", expected.splits(), schedule.splitCount());
        compare("copies", expected.copies(), schedule.copies());
        for (int device = 0; device < backends.size(); device++) {
            compare(
                    "compute buffer of " + backends.get(device).name(),
                    expected.bufferSizes().get(device),
                    scheduler.bufferSize(backends.get(device)));
        }
        compareTrace(log.calls().stream().map(this::text).toList());
        for (PlanViolation violation : PlanValidator.check(schedule.plan())) {
            failures.add(golden.name() + ": the plan breaks a rule: " + violation.message());
        }
    }

    private void compareDevice(Schedule schedule, int id, int expected) {
        int found = schedule.assignment().device(id);
        if (found != expected) {
            compare(
                    "device of tensor " + golden.tensors().fileId(id) + " '"
                            + golden.graph().label(id) + "' ("
                            + schedule.assignment().reason(id) + ")",
                    schedule.devices().name(expected),
                    schedule.devices().name(found));
        }
    }

    /** The first call that differs says more than all that follow from it. */
    private void compareTrace(List<String> found) {
        List<String> expected = golden.expected().trace();
        int same = 0;
        while (same < expected.size()
                && same < found.size()
                && expected.get(same).equals(found.get(same))) {
            same++;
        }
        if (same < Math.max(expected.size(), found.size())) {
            compare("call " + same + " of " + expected.size(), at(expected, same), at(found, same));
        }
    }

    private static String at(List<String> calls, int index) {
        return index < calls.size() ? calls.get(index) : "nothing";
    }

    private void compare(String what, Object expected, Object found) {
        if (!expected.equals(found)) {
            failures.add(golden.name() + ": " + what + ": expected " + expected + ", found " + found);
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
        Integer id = fileIds.get(tensor);
        return id == null ? tensor.name() : id.toString();
    }
}
