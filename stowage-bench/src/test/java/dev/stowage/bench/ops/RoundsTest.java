package dev.stowage.bench.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RoundsTest {

    /** Records who was called. */
    private record Listed(String variant, List<String> calls) implements Contender {

        @Override
        public void begin() {
            calls.add("begin " + variant);
        }

        @Override
        public void run() {
            calls.add("run " + variant);
        }

        @Override
        public void end() {
            calls.add("end " + variant);
        }

        @Override
        public double[] result() {
            return new double[0];
        }

        @Override
        public void close() {}
    }

    private final List<String> calls = new ArrayList<>();

    private List<RoundTimes> measure(int rounds, String... variants) {
        MeasurementSettings pace =
                new MeasurementSettings(rounds, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ofHours(1));
        List<Contender> contenders = new ArrayList<>();
        for (String variant : variants) {
            contenders.add(new Listed(variant, calls));
        }
        return new Rounds(pace).measure(contenders);
    }

    @Test
    void everyContenderIsMeasuredInEveryRound() {
        List<RoundTimes> series = measure(3, "a", "b");

        assertThat(series).extracting(RoundTimes::variant).containsExactly("a", "b");
        assertThat(series).allSatisfy(each -> assertThat(each.seconds()).hasSize(3));
    }

    @Test
    void contendersTakeTurnsAndEachIsFirstInSomeRound() {
        measure(2, "a", "b");

        assertThat(calls.stream().filter(call -> call.startsWith("run")))
                .containsExactly("run a", "run b", "run b", "run a");
    }

    @Test
    void nobodyBeginsBeforeTheOneBeforeHasEnded() {
        measure(2, "a", "b", "c");

        for (int i = 0; i < calls.size(); i++) {
            if (calls.get(i).startsWith("begin")) {
                String own = calls.get(i).substring("begin".length());
                int end = calls.subList(i, calls.size()).indexOf("end" + own) + i;
                assertThat(calls.subList(i + 1, end)).allMatch(("run" + own)::equals);
            }
        }
    }
}
