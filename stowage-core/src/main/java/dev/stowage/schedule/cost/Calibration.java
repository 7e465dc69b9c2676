package dev.stowage.schedule.cost;

import dev.stowage.device.Backend;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.tensor.ElementType;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Measures devices and the links between them: nodes of every kind of work and copies between every two devices, each
 * in a small and a large size. Sizes grow until the measurement is precise or its time is used up. The result can be
 * {@linkplain CostModel#save saved}.
 *
 * {@snippet :
 * CostModel costs = Calibration.of(List.of(gpu, cpu)).withBudget(Duration.ofSeconds(5)).run();
 * }
 *
 * <p>The backends must not be used otherwise meanwhile. Memory is allocated for one measurement at a time.
 *
 * @param backends the backends to measure, one per device
 * @param budget the approximate duration
 * @param weightType the type of the weights in multiplications; f32 on devices that do not support it
 * @param nanoClock the clock, in nanoseconds
 * @param listener receives a line per measurement
 */
public record Calibration(
        List<Backend> backends,
        Duration budget,
        ElementType weightType,
        LongSupplier nanoClock,
        Consumer<String> listener) {

    private static final Duration DEFAULT_BUDGET = Duration.ofSeconds(3);

    /** @throws InvalidPlanException if there is no backend or no time */
    public Calibration {
        backends = List.copyOf(backends);
        Objects.requireNonNull(weightType);
        Objects.requireNonNull(nanoClock);
        Objects.requireNonNull(listener);
        if (backends.isEmpty() || budget.isNegative() || budget.isZero()) {
            throw new InvalidPlanException("a calibration needs backends and time, but there are " + backends.size()
                    + " backends and " + budget.toMillis() + " ms");
        }
    }

    /** Of these backends, in about three seconds, with weights of f16. */
    public static Calibration of(List<? extends Backend> backends) {
        return new Calibration(List.copyOf(backends), DEFAULT_BUDGET, ElementType.F16, System::nanoTime, _ -> {});
    }

    public Calibration withBudget(Duration newBudget) {
        return new Calibration(backends, newBudget, weightType, nanoClock, listener);
    }

    public Calibration withWeightType(ElementType newWeightType) {
        return new Calibration(backends, budget, newWeightType, nanoClock, listener);
    }

    /** With another clock, for simulated devices. */
    public Calibration withClock(LongSupplier newNanoClock) {
        return new Calibration(backends, budget, weightType, newNanoClock, listener);
    }

    public Calibration withListener(Consumer<String> newListener) {
        return new Calibration(backends, budget, weightType, nanoClock, newListener);
    }

    /**
     * Measures.
     *
     * @throws dev.stowage.error.StowageException if a device fails, or lacks memory even for the smallest measurement
     */
    public CostModel run() {
        int links = backends.size() * (backends.size() - 1);
        long share =
                budget.toNanos() / Math.max(1, 4L * backends.size() * CalibrationSample.values().length + 4L * links);
        Stopwatch watch = new Stopwatch(nanoClock, share);
        CostModel.Builder model = CostModel.builder();
        for (Backend backend : backends) {
            new DeviceCalibration(backend, weightType, watch, listener).measure(model);
        }
        for (Backend from : backends) {
            for (Backend to : backends) {
                if (from.id() != to.id()) {
                    LinkRate rate = new LinkCalibration(from, to, watch).measure();
                    listener.accept("link " + from.name() + " to " + to.name() + ": " + rate);
                    model.linkTo(from.name(), to.name(), rate);
                }
            }
        }
        return model.build();
    }
}
