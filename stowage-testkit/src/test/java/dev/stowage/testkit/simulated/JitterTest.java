package dev.stowage.testkit.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class JitterTest {

    @Test
    void theOrderInWhichStreamsMeetDoesNotChangeResults() {
        for (long seed = 0; seed < 300; seed++) {
            SimulatedDevice first = SimulatedDevice.named("gpu0")
                    .delays(DelayPolicy.jitter(seed))
                    .build();
            SimulatedDevice second = SimulatedDevice.named("gpu1")
                    .delays(DelayPolicy.jitter(~seed))
                    .build();
            Random random = new Random(seed);
            try (Pipeline pipeline = new Pipeline(first, second)) {
                for (int run = 0; run < 3; run++) {
                    float[] values = Parts.random(random, 6);
                    float[] weights = Parts.random(random, 6);
                    List<float[]> results = pipeline.run(values, weights);

                    assertThat(results)
                            .as("seed %d, run %d", seed, run)
                            .allSatisfy(
                                    result -> assertThat(result).containsExactly(Pipeline.expected(values, weights)));
                }
            }
        }
    }
}
