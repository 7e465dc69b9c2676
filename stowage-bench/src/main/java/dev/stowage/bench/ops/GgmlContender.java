package dev.stowage.bench.ops;

import dev.stowage.bench.ggml.GgmlLibrary;
import dev.stowage.bench.ggml.graph.GgmlRunner;
import dev.stowage.testkit.op.ElementCodec;
import java.util.ArrayList;
import java.util.List;

/** ggml's CPU backend, with weights as they are or repacked. */
final class GgmlContender implements Contender {

    private final String variant;
    private final BenchWorkload workload;
    private final GgmlRunner runner;

    private GgmlContender(String variant, BenchWorkload workload, GgmlRunner runner) {
        this.variant = variant;
        this.workload = workload;
        this.runner = runner;
    }

    /** All ways ggml has to compute a workload. */
    static List<Contender> all(GgmlLibrary library, BenchWorkload workload, int threads) {
        List<Contender> all = new ArrayList<>();
        try {
            all.add(new GgmlContender(
                    "plain", workload, GgmlRunner.plain(library, workload.graph(), threads, workload::contents)));
            GgmlRunner.repacked(library, workload.graph(), threads, workload::contents)
                    .ifPresent(runner -> all.add(new GgmlContender("repacked", workload, runner)));
            return all;
        } catch (RuntimeException | Error e) {
            all.forEach(Contender::close);
            throw e;
        }
    }

    @Override
    public String variant() {
        return variant;
    }

    @Override
    public void begin() {
        runner.resume();
    }

    @Override
    public void run() {
        runner.run();
    }

    @Override
    public void end() {
        runner.pause();
    }

    @Override
    public double[] result() {
        return ElementCodec.decode(workload.result().layout(), runner.bytes(workload.result()));
    }

    @Override
    public void close() {
        runner.close();
    }
}
