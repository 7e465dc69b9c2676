package dev.stowage.llm.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PromptSharesTest {

    @Test
    void sharesAreEqualAndUseAllTheRoom() {
        for (int seed = 0; seed < 2000; seed++) {
            Random random = new Random(seed);
            int[] unread = random.ints(1 + random.nextInt(6), 0, 20).toArray();
            int room = 1 + random.nextInt(60);
            int[] shares = PromptShares.divide(unread, room);
            int all = Arrays.stream(unread).sum();
            assertThat(Arrays.stream(shares).sum()).as("seed %d", seed).isEqualTo(Math.min(all, room));
            int most = Arrays.stream(shares).max().orElseThrow();
            for (int i = 0; i < unread.length; i++) {
                assertThat(shares[i]).as("seed %d", seed).isLessThanOrEqualTo(unread[i]);
                // Whoever gets less than another has no more to read, up to the tokens that cannot be divided.
                boolean isFair = shares[i] == unread[i] || shares[i] >= most - unread.length;
                assertThat(isFair)
                        .as("seed %d: %s of %s", seed, Arrays.toString(shares), Arrays.toString(unread))
                        .isTrue();
            }
        }
    }
}
