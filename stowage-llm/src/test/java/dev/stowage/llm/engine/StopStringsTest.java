package dev.stowage.llm.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StopStringsTest {

    /** The text up to the stop string that ends first, or where several end there, begins first. */
    private static String upToStop(String text, List<String> stops) {
        for (int end = 1; end <= text.length(); end++) {
            String read = text.substring(0, end);
            int first = Integer.MAX_VALUE;
            for (String stop : stops) {
                first = read.endsWith(stop) ? Math.min(first, end - stop.length()) : first;
            }
            if (first < end) {
                return text.substring(0, first);
            }
        }
        return text;
    }

    @Test
    void aTextInSinglePiecesEndsBeforeTheFirstStopString() {
        for (int seed = 0; seed < 2000; seed++) {
            Random random = new Random(seed);
            List<String> strings = new ArrayList<>();
            for (int i = random.nextInt(4); i >= 0; i--) {
                strings.add(word(random, 1 + random.nextInt(4)));
            }
            String text = word(random, random.nextInt(30));
            StopStrings stops = new StopStrings(strings);
            StringBuilder out = new StringBuilder();
            for (int i = 0; i < text.length(); i++) {
                out.append(stops.next(text.substring(i, i + 1)));
            }
            if (stops.found().isEmpty()) {
                out.append(stops.finish());
            }
            assertThat(out.toString())
                    .as("seed %d: %s in %s", seed, strings, text)
                    .isEqualTo(upToStop(text, strings));
        }
    }

    @Test
    void whatCannotBeAStopStringIsNotHeldBack() {
        StopStrings stops = new StopStrings(List.of("User:"));
        assertThat(stops.next("The Us")).isEqualTo("The ");
        assertThat(stops.next("ual way")).isEqualTo("Usual way");
        assertThat(stops.next(" User")).isEqualTo(" ");
        assertThat(stops.finish()).isEqualTo("User");
    }

    private static String word(Random random, int length) {
        StringBuilder word = new StringBuilder();
        for (int i = 0; i < length; i++) {
            word.append((char) ('a' + random.nextInt(3)));
        }
        return word.toString();
    }
}
