package dev.stowage.gguf;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class Utf8Test {

    /** Bytes at the borders of what can begin, continue or end a character. */
    private static final int[] BYTES = {
        0, 'a', 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
        0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF
    };

    /** What the JDK's decoder says. */
    private static int firstWrong(byte[] bytes) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer input = ByteBuffer.wrap(bytes);
        CoderResult result = decoder.decode(input, CharBuffer.allocate(bytes.length), true);
        return result.isError() ? input.position() : -1;
    }

    @Test
    void everyShortSequenceIsJudgedAsTheDecoderOfTheJdkJudgesIt() {
        int count = BYTES.length;
        for (int code = 0; code < count * count * count * count; code++) {
            byte[] bytes = {
                (byte) BYTES[code % count],
                (byte) BYTES[code / count % count],
                (byte) BYTES[code / count / count % count],
                (byte) BYTES[code / count / count / count]
            };
            if (Utf8.firstWrong(bytes, 0, 4) != firstWrong(bytes)) {
                assertThat(Utf8.firstWrong(bytes, 0, 4))
                        .as(HexFormat.of().formatHex(bytes))
                        .isEqualTo(firstWrong(bytes));
            }
        }
    }

    @Test
    void longerTextIsJudgedTheSame() {
        for (long seed = 0; seed < 2000; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] text = "Grüße, 世界 \uD83D\uDE00!".repeat(3).getBytes(StandardCharsets.UTF_8);
            text[random.nextInt(text.length)] = (byte) random.nextInt();

            assertThat(Utf8.firstWrong(text, 0, text.length))
                    .as("seed %d", seed)
                    .isEqualTo(firstWrong(text));
        }
    }

    @Test
    void onlyTheRangeIsLookedAt() {
        byte[] bytes = {(byte) 0xFF, 'a', (byte) 0xC3, (byte) 0xA4, (byte) 0xFF};

        assertThat(Utf8.firstWrong(bytes, 1, 4)).isEqualTo(-1);
        assertThat(Utf8.firstWrong(bytes, 1, 3)).isEqualTo(2);
    }
}
