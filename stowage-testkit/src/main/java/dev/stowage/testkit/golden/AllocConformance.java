package dev.stowage.testkit.golden;

import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.PlanValidator;
import dev.stowage.plan.PlanViolation;
import dev.stowage.plan.PlannedPlace;
import dev.stowage.plan.Planner;
import dev.stowage.testkit.golden.AllocExpectation.ExpectedPlacement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Compares the ggml planner with what ggml did: every place, every chunk and every size must be the same. */
public final class AllocConformance {

    private final AllocCase golden;
    private final MemoryPlan plan;
    private final List<String> failures = new ArrayList<>();

    private AllocConformance(AllocCase golden) {
        this.golden = golden;
        this.plan = Planner.ggml()
                .plan(PlanRequest.of(golden.graph(), golden.bufferTypes(), golden.nodeBuffers(), golden.leafBuffers()));
    }

    /** What differs in one case, a line each, naming case, tensor, expected and found; empty when all is the same. */
    public static List<String> failures(AllocCase golden) {
        AllocConformance conformance = new AllocConformance(golden);
        conformance.comparePlacements();
        conformance.compareSizes();
        for (PlanViolation violation : PlanValidator.check(conformance.plan)) {
            conformance.fail("the plan breaks a rule: " + violation.message());
        }
        return List.copyOf(conformance.failures);
    }

    private void comparePlacements() {
        Map<Integer, ExpectedPlacement> expected = golden.expected().placements();
        for (int id = 0; id < golden.graph().size(); id++) {
            int fileId = golden.tensors().fileId(id);
            String found = plan.placement(id).map(this::text).orElse("no place");
            String wanted =
                    Optional.ofNullable(expected.get(fileId)).map(this::text).orElse("no place");
            if (!found.equals(wanted)) {
                fail("tensor " + fileId + " '" + golden.graph().label(id) + "': expected " + wanted + ", found "
                        + found);
            }
        }
    }

    private void compareSizes() {
        for (int buffer = 0; buffer < plan.bufferCount(); buffer++) {
            List<Long> chunks = new ArrayList<>();
            for (int chunk = 0; chunk < plan.chunkCount(buffer); chunk++) {
                chunks.add(plan.chunkSize(buffer, chunk));
            }
            compare("chunks of buffer " + buffer, golden.expected().chunks().get(buffer), chunks);
            compare("size of buffer " + buffer, golden.expected().bufferSizes().get(buffer), plan.bufferSize(buffer));
        }
    }

    private void compare(String what, Object expected, Object found) {
        if (!expected.equals(found)) {
            fail(what + ": expected " + expected + ", found " + found);
        }
    }

    private String text(PlannedPlace place) {
        return text(place.buffer(), place.chunk(), place.offset());
    }

    private String text(ExpectedPlacement place) {
        return text(place.buffer(), place.chunk(), place.offset());
    }

    /** Buffers of the same type are the same memory, so they are named by the first of them. */
    private String text(int buffer, int chunk, long offset) {
        return "buffer " + plan.request().firstWithSameType(buffer) + ", chunk " + chunk + ", offset " + offset;
    }

    private void fail(String what) {
        failures.add(golden.name() + ": " + what);
    }
}
