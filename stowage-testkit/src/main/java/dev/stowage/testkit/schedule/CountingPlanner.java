package dev.stowage.testkit.schedule;

import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.Planner;
import java.util.concurrent.atomic.AtomicInteger;

/** Plans as {@link Planner#ggml()} does and counts the plans, for tests that a plan is reused. May be used from any thread. */
public final class CountingPlanner implements Planner {

    private final AtomicInteger plans = new AtomicInteger();

    /** A planner that has made no plan. */
    public CountingPlanner() {}

    @Override
    public String name() {
        return "counting";
    }

    @Override
    public MemoryPlan plan(PlanRequest request) {
        plans.incrementAndGet();
        return Planner.ggml().plan(request);
    }

    /** How many plans it has made. */
    public int plans() {
        return plans.get();
    }
}
