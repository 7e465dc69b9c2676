package dev.stowage.testkit.simulated;

import dev.stowage.error.DeviceException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * What is to go wrong on a simulated device. The device asks here whenever it carries out a call, whether at once or in
 * a stream; calls are counted from then on, and the chosen ones fail. A fault strikes once and before the call has any
 * effect; after it the device works as before.
 *
 * {@snippet :
 * device.faults().fail(CallKind.COMPUTE, 3, FaultKind.FAILURE); // the third node from now on
 * device.faults().failAny(17, FaultKind.HANG).onHang(caller::interrupt);
 * }
 *
 * <p>May be used from any thread.
 */
public final class Faults {

    /**
     * A fault that has struck.
     *
     * @param work the call that failed
     * @param fault in which way
     */
    public record Injected(Work work, FaultKind fault) {}

    /** A fault that is still to come: when the count of its kind, or of all calls, gets there. */
    private record Planned(Optional<CallKind> kind, long at, FaultKind fault) {}

    private final Map<CallKind, Long> counts = new EnumMap<>(CallKind.class);
    private final List<Planned> planned = new ArrayList<>();
    private final List<Injected> injected = new ArrayList<>();
    private long total;
    private @Nullable Random random;
    private double probability;
    private List<FaultKind> randomFaults = List.of();
    private Runnable onHang = () -> {};

    Faults() {}

    /** Has the {@code nth} call of that kind from now on fail, 1 being the next; returns this. */
    public synchronized Faults fail(CallKind kind, long nth, FaultKind fault) {
        planned.add(new Planned(Optional.of(kind), calls(kind) + requirePositive(nth), fault));
        return this;
    }

    /** Has the {@code nth} call of any kind from now on fail, 1 being the next; returns this. */
    public synchronized Faults failAny(long nth, FaultKind fault) {
        planned.add(new Planned(Optional.empty(), total + requirePositive(nth), fault));
        return this;
    }

    /** Has every call from now on fail with that probability, in one of these ways; returns this. */
    public synchronized Faults failRandomly(long seed, double newProbability, FaultKind... faults) {
        random = new Random(seed);
        probability = newProbability;
        randomFaults = List.of(faults);
        return this;
    }

    /** Has something done whenever a call begins to hang, in the thread that hangs; returns this. */
    public synchronized Faults onHang(Runnable newListener) {
        onHang = newListener;
        return this;
    }

    /** Forgets all faults that are still to come, and those that have struck; the counts stay. */
    public synchronized Faults clear() {
        planned.clear();
        injected.clear();
        random = null;
        return this;
    }

    /** How many calls of that kind there have been, those that failed included. */
    public synchronized long calls(CallKind kind) {
        return counts.getOrDefault(kind, 0L);
    }

    /** How many calls there have been, those that failed included. */
    public synchronized long calls() {
        return total;
    }

    /** The faults that have struck, in that order. */
    public synchronized List<Injected> injected() {
        return List.copyOf(injected);
    }

    /** Counts a call, and lets it fail if its time has come. */
    void meet(Work work) throws InterruptedException {
        @Nullable FaultKind fault = next(work);
        if (fault != null) {
            strike(work, fault);
        }
    }

    /** Counts a call, and says how it is to fail, if it is. */
    synchronized @Nullable FaultKind next(Work work) {
        total++;
        counts.merge(work.kind(), 1L, Long::sum);
        @Nullable FaultKind fault = takePlanned(work.kind());
        if (fault == null) {
            fault = drawRandom();
        }
        if (fault != null) {
            injected.add(new Injected(work, fault));
        }
        return fault;
    }

    private @Nullable FaultKind takePlanned(CallKind kind) {
        for (Iterator<Planned> each = planned.iterator(); each.hasNext(); ) {
            Planned fault = each.next();
            long count = fault.kind().map(this::calls).orElse(total);
            if (fault.kind().map(kind::equals).orElse(true) && fault.at() == count) {
                each.remove();
                return fault.fault();
            }
        }
        return null;
    }

    private @Nullable FaultKind drawRandom() {
        if (random == null || randomFaults.isEmpty() || random.nextDouble() >= probability) {
            return null;
        }
        return randomFaults.get(random.nextInt(randomFaults.size()));
    }

    /** Lets a call fail. */
    void strike(Work work, FaultKind fault) throws InterruptedException {
        switch (fault) {
            case OUT_OF_MEMORY -> throw work.failure("the device has no memory left for it (injected fault)");
            case FAILURE -> throw work.failure(what(work.kind()) + " failed (injected fault)");
            case HANG -> {
                hangListener().run();
                new CountDownLatch(1).await();
            }
        }
    }

    private synchronized Runnable hangListener() {
        return onHang;
    }

    private static String what(CallKind kind) {
        return switch (kind) {
            case ALLOCATE -> "the allocation";
            case SET, GET, COPY -> "the transfer";
            case COMPUTE -> "the kernel";
            case EVENT -> "the event";
        };
    }

    private static long requirePositive(long nth) {
        if (nth < 1) {
            throw DeviceException.of("simulated", "faults", "there is no call " + nth + ": the next one is number 1");
        }
        return nth;
    }
}
