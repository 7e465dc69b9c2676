package dev.stowage.plan;

import dev.stowage.graph.Graph;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Plans random graphs, changes the plans at random, and compares the validator with {@link PlanSimulator}: both must
 * accept what the planners plan, and whatever the simulator finds wrong the validator must refuse. {@link PlanFuzzTest}
 * runs a few thousand graphs. For more, after {@code mvn test-compile}:
 *
 * <pre>
 *   java -cp target/classes:target/test-classes dev.stowage.plan.PlanFuzz GRAPHS MUTANTS_PER_GRAPH [FIRST_SEED]
 * </pre>
 */
final class PlanFuzz {

    private static final int FAILURES_SHOWN = 20;

    private final int mutantsPerGraph;
    private final List<String> failures = new ArrayList<>();
    private long graphs;
    private long plans;
    private long mutants;
    private long missed;
    private long refused;
    private long resultsInPlace;
    private long nodesApart;
    private long outputsLost;
    private final Map<PlanSimulator.Kind, Long> faults = new EnumMap<>(PlanSimulator.Kind.class);
    private final Map<PlanViolation.Kind, Long> refusedAlone = new EnumMap<>(PlanViolation.Kind.class);

    PlanFuzz(int mutantsPerGraph) {
        this.mutantsPerGraph = mutantsPerGraph;
    }

    /** Plans the graph of a seed with every planner, and changes the plans. */
    void run(long seed) {
        PlanRequest request = GraphFuzzer.request(seed);
        List<MemoryPlan> good =
                List.of(Planner.ggml().plan(request), Planner.tight().plan(request));
        graphs++;
        checkGood(seed, good.getFirst(), Planner.ggml().inPlace(), false);
        checkGood(seed, good.getLast(), Planner.tight().inPlace(), true);
        for (int id = 0; id < request.graph().size(); id++) {
            nodesApart += request.graph().isInPlaceForbidden(id) ? 1 : 0;
        }
        for (int i = 0; i < mutantsPerGraph; i++) {
            long mutation = seed * mutantsPerGraph + i;
            InPlaceRules rules = mutation % 5 == 0 ? InPlaceRules.ggml() : InPlaceRules.kernels();
            checkMutant(seed, mutation, PlanMutator.mutated(good.get(i % good.size()), mutation), rules);
        }
    }

    private void checkGood(long seed, MemoryPlan plan, InPlaceRules rules, boolean keepsViews) {
        plans++;
        List<PlanViolation> violations = PlanValidator.check(plan, rules);
        if (!violations.isEmpty()) {
            fail(seed, plan, "the validator refuses the plan: " + violations.getFirst());
        }
        PlanSimulator.run(plan, rules).ifPresent(fault -> fail(seed, plan, "the plan goes wrong: " + fault));
        if (keepsViews) {
            PlanSimulator.runStrictly(plan, rules).ifPresent(fault -> fail(seed, plan, "an output is lost: " + fault));
        }
        checkHazards(seed, plan, rules);
        for (int id = 0; id < plan.graph().size(); id++) {
            resultsInPlace += plan.inPlaceOf(id) != Graph.NO_ID ? 1 : 0;
        }
    }

    private void checkMutant(long seed, long mutation, MemoryPlan plan, InPlaceRules rules) {
        mutants++;
        Optional<PlanSimulator.Fault> fault = PlanSimulator.run(plan, rules);
        List<PlanViolation> violations = PlanValidator.check(plan, rules);
        refused += violations.isEmpty() ? 0 : 1;
        fault.ifPresent(found -> faults.merge(found.kind(), 1L, Long::sum));
        if (fault.isPresent() && violations.isEmpty()) {
            missed++;
            fail(seed, plan, "the validator accepts mutant " + mutation + ", which goes wrong: " + fault.get());
        } else if (fault.isEmpty() && violations.isEmpty()) {
            checkHazards(seed, plan, rules);
        } else if (fault.isEmpty()) {
            refusedAlone.merge(violations.getFirst().kind(), 1L, Long::sum);
        }
    }

    /** A good plan may lose outputs that are views, but never without a word. */
    private void checkHazards(long seed, MemoryPlan plan, InPlaceRules rules) {
        Optional<PlanSimulator.Fault> lost = PlanSimulator.runStrictly(plan, rules);
        if (lost.isPresent()) {
            outputsLost++;
            if (PlanValidator.hazards(plan).isEmpty()) {
                fail(seed, plan, "no hazard names an output that is lost: " + lost.get());
            }
        }
    }

    private void fail(long seed, MemoryPlan plan, String what) {
        if (failures.size() < FAILURES_SHOWN) {
            failures.add("seed " + seed + ", " + plan.planner() + ": " + what);
        }
    }

    /** The first things that were not as they must be, each with its seed. */
    List<String> failures() {
        return List.copyOf(failures);
    }

    /** How many mutants the simulator found wrong at that time. */
    long faults(PlanSimulator.Kind kind) {
        return faults.getOrDefault(kind, 0L);
    }

    /** How many mutants are good plans for both. */
    long acceptedMutants() {
        return mutants - refused - missed;
    }

    @Override
    public String toString() {
        return graphs + " graphs with " + nodesApart + " nodes computed apart, " + plans + " plans with "
                + resultsInPlace + " results in place; " + mutants + " mutants, of which the simulator finds wrong "
                + faults + ", the validator refuses " + refused + " and misses " + missed
                + "; refused by the validator alone " + refusedAlone + "; "
                + outputsLost + " good plans overwrite an output that is a view; " + failures.size() + " failures"
                + String.join(
                        "",
                        failures.stream()
                                .map(failure -> System.lineSeparator() + failure)
                                .toList());
    }

    public static void main(String[] args) {
        long count = Long.parseLong(args[0]);
        long first = args.length > 2 ? Long.parseLong(args[2]) : 0;
        PlanFuzz fuzz = new PlanFuzz(Integer.parseInt(args[1]));
        for (long seed = first; seed < first + count; seed++) {
            fuzz.run(seed);
        }
        System.out.println(fuzz);
        if (!fuzz.failures().isEmpty()) {
            System.exit(1);
        }
    }
}
