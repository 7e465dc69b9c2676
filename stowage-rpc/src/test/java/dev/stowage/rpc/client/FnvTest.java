package dev.stowage.rpc.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The hash is the published one. */
class FnvTest {

    @ParameterizedTest
    @CsvSource({"'', cbf29ce484222325", "a, af63dc4c8601ec8c", "foobar, 85944171f73967e8"})
    void isFnv1a(String text, String hash) {
        assertThat(Long.toHexString(Fnv.hash(MemorySegment.ofArray(text.getBytes(UTF_8)))))
                .isEqualTo(hash);
    }

    @ParameterizedTest
    @CsvSource({"8", "9", "23", "4096"})
    void goesByteByByte(int length) {
        byte[] bytes = new byte[length];
        new java.util.Random(length).nextBytes(bytes);
        long hash = 0xcbf29ce484222325L;
        for (byte each : bytes) {
            hash = (hash ^ (each & 0xff)) * 0x100000001b3L;
        }
        assertThat(Fnv.hash(MemorySegment.ofArray(bytes))).isEqualTo(hash);
    }
}
