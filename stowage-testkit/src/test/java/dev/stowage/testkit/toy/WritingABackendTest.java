package dev.stowage.testkit.toy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Device;
import dev.stowage.testkit.backend.BackendConformance;
import dev.stowage.testkit.backend.ConformanceReport;
import dev.stowage.testkit.backend.ConformanceReport.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The guide to writing a backend says what the toy backend does, and the toy backend is small and right. */
class WritingABackendTest {

    private static final Path GUIDE = Path.of("..", "docs", "writing-a-backend.md");
    private static final Path SOURCES = Path.of("src", "test", "java", "dev", "stowage", "testkit", "toy");

    private static final Device TOY = new ToyProvider().devices().getFirst();

    @Test
    void aCompleteBackendTakesFewerThan150Lines() throws IOException {
        assertThat(Files.readAllLines(SOURCES.resolve("ToyProvider.java"))).hasSizeLessThan(150);
    }

    @Test
    void everyPieceOfCodeInTheGuideIsThatOfTheToyBackend() throws IOException {
        String sources = squeezed(Files.readString(SOURCES.resolve("ToyProvider.java")))
                + squeezed(Files.readString(SOURCES.resolve("ToyBackendTest.java")));

        assertThat(pieces())
                .isNotEmpty()
                .allSatisfy(piece -> assertThat(sources).contains(piece));
    }

    private static List<String> pieces() throws IOException {
        List<String> pieces = new ArrayList<>();
        StringBuilder piece = new StringBuilder();
        boolean inside = false;
        for (String line : Files.readAllLines(GUIDE)) {
            if (line.startsWith("```")) {
                if (inside) {
                    pieces.add(squeezed(piece.toString()));
                    piece.setLength(0);
                }
                inside = line.equals("```java");
            } else if (inside) {
                piece.append(line).append('\n');
            }
        }
        return pieces;
    }

    /** Without what a formatter changes. */
    private static String squeezed(String code) {
        return code.replaceAll("\\s+", " ").strip();
    }

    @Test
    void whatTheToyBackendLacksIsNotSupportedRatherThanFailed() {
        ConformanceReport report = BackendConformance.of(TOY).run();

        assertThat(report.failures()).isEmpty();
        assertThat(report.rows())
                .filteredOn(row -> row.passed() > 0)
                .extracting(Row::group)
                .contains("buffers", "transfers", "order", "prepared graphs", "failures", "ADD", "MUL")
                .doesNotContain("MUL_MAT", "SCALE", "events");
        assertThat(report.notSupported()).isGreaterThan(report.passed());
    }
}
