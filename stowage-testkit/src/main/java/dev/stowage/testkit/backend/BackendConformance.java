package dev.stowage.testkit.backend;

import dev.stowage.device.Device;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.tensor.Op;
import dev.stowage.testkit.op.OpCase;
import dev.stowage.testkit.op.OpCases;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Everything a device and its backends must do, as a list of checks: for each op its results on representative types,
 * shapes and strides, compared with the reference and with every other byte of the memory watched; memory and
 * transfers; the order of work, events and prepared graphs; whole graphs in planned memory; failures, closing, and
 * threads.
 *
 * {@snippet :
 * ConformanceReport report = BackendConformance.of(device).run();
 * System.out.print(report.text());
 * }
 *
 * <p>What a device does not claim, an op it does not support or an ability it lacks, is counted as not supported, not as a failure. The same suite always makes the same checks with the same numbers. Immutable.
 */
public final class BackendConformance {

    private static final long SEED = 1;

    private final Device device;
    private final Device reference;
    private final long seed;
    private final int randomCases;

    private BackendConformance(Device device, Device reference, long seed, int randomCases) {
        this.device = device;
        this.reference = reference;
        this.seed = seed;
        this.randomCases = randomCases;
    }

    /** The suite for a device, with a few random cases for each op. */
    public static BackendConformance of(Device device) {
        return new BackendConformance(device, reference(), SEED, 3);
    }

    private static Device reference() {
        return new ReferenceProvider().devices().getFirst();
    }

    /** The same with another number of random cases for each op, drawn with that seed. */
    public BackendConformance withRandomCases(long newSeed, int perOp) {
        return new BackendConformance(device, reference, newSeed, perOp);
    }

    /** The device that is judged. */
    public Device device() {
        return device;
    }

    /** All checks: first those of the interface, then those of each op. */
    public List<Check> checks() {
        List<Check> checks = new ArrayList<>(interfaceChecks());
        OpCases.ops().forEach(op -> checks.addAll(opChecks(op)));
        return checks;
    }

    /** The checks that are about no op in particular. */
    public List<Check> interfaceChecks() {
        List<Check> checks = new ArrayList<>();
        checks.addAll(DeviceChecks.of(device, reference));
        checks.addAll(BufferChecks.of(device, reference));
        checks.addAll(TransferChecks.of(device, reference));
        checks.addAll(OrderChecks.of(device, reference));
        checks.addAll(StridedChecks.of(device, reference));
        checks.addAll(EventChecks.of(device, reference));
        checks.addAll(EventQueryChecks.of(device, reference));
        checks.addAll(PreparedChecks.of(device, reference));
        checks.addAll(GraphChecks.of(device, reference));
        checks.addAll(BindingChecks.of(device, reference));
        checks.addAll(FailureChecks.of(device, reference));
        checks.addAll(ClosingChecks.of(device, reference));
        checks.addAll(ClosingRunChecks.of(device, reference));
        checks.addAll(LossChecks.of(device, reference));
        checks.addAll(ThreadChecks.of(device, reference));
        return checks;
    }

    /** The checks of one op. */
    public List<Check> opChecks(Op op) {
        OpChecks ops = new OpChecks(device, reference);
        List<Check> checks = new ArrayList<>();
        for (OpCase opCase : OpCases.of(op)) {
            checks.addAll(ops.of(opCase));
        }
        for (OpCase opCase : OpCases.random(op, seed, randomCases)) {
            checks.addAll(ops.of(opCase));
        }
        return checks;
    }

    /** Runs all checks. */
    public ConformanceReport run() {
        return run(_ -> {});
    }

    /** Runs all checks, and reports the result of each as soon as it has ended. */
    public ConformanceReport run(Consumer<CheckResult> listener) {
        List<CheckResult> results = new ArrayList<>();
        for (Check check : checks()) {
            CheckResult result = new CheckResult(check, check.run());
            results.add(result);
            listener.accept(result);
        }
        return new ConformanceReport(device.name(), results);
    }
}
