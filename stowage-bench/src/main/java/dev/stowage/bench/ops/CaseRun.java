package dev.stowage.bench.ops;

import dev.stowage.bench.ggml.GgmlLibrary;
import dev.stowage.device.Device;
import dev.stowage.error.DeviceException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.testkit.op.Nmse;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** Measures cases on one device, together with ggml where it is available, and compares the results. */
final class CaseRun {

    private final Device device;
    private final @Nullable GgmlLibrary ggml;
    private final Rounds rounds;

    CaseRun(Device device, @Nullable GgmlLibrary ggml, MeasurementSettings pace) {
        this.device = device;
        this.ggml = ggml;
        this.rounds = new Rounds(pace);
    }

    /** Measures a case; what one side cannot compute is said in the result. */
    CaseResult run(OpBenchCase benchCase, int threads) {
        List<Contender> all = new ArrayList<>();
        try (TestData data = new TestData()) {
            List<Contender> ours;
            try {
                ours = DeviceContender.all(device, () -> benchCase.make(data), threads);
                all.addAll(ours);
            } catch (DeviceException e) {
                return CaseResult.refused(benchCase, threads, String.valueOf(e.getMessage()));
            }
            String remark = "";
            try {
                all.addAll(ggml == null ? List.of() : GgmlContender.all(ggml, benchCase.make(data), threads));
            } catch (DeviceException | InvalidTensorException e) {
                remark = String.valueOf(e.getMessage());
            }
            return measured(benchCase, threads, all, ours.size(), remark);
        } finally {
            all.forEach(Contender::close);
        }
    }

    private CaseResult measured(OpBenchCase benchCase, int threads, List<Contender> all, int own, String remark) {
        List<RoundTimes> series = rounds.measure(all);
        List<Contender> theirs = all.subList(own, all.size());
        if (theirs.isEmpty()) {
            return new CaseResult(benchCase, threads, series, List.of(), OptionalDouble.empty(), true, remark);
        }
        double[] expected = theirs.getFirst().result();
        double worst = 0;
        String wrong = "";
        for (Contender contender : all.subList(0, own)) {
            Nmse nmse = Nmse.of(expected, contender.result());
            worst = Math.max(worst, nmse.error());
            if (!nmse.isWithin(benchCase.maxError())) {
                wrong = "wrong (" + contender.variant() + "): " + nmse + ", allowed is " + benchCase.maxError();
            }
        }
        return new CaseResult(
                benchCase,
                threads,
                series.subList(0, own),
                series.subList(own, series.size()),
                OptionalDouble.of(worst),
                wrong.isEmpty(),
                wrong);
    }
}
