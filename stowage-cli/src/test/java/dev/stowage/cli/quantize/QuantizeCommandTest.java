package dev.stowage.cli.quantize;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.CommandRun;
import dev.stowage.cli.GgufSample;
import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.quantize.QuantizeProgress;
import dev.stowage.tensor.ElementType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuantizeCommandTest {
    @TempDir
    private Path folder;

    private Path in;
    private Path out;

    @BeforeEach
    void writeAModel() {
        in = GgufSample.write(folder.resolve("in.gguf"));
        out = folder.resolve("out.gguf");
    }

    private CommandRun quantize(String type, String... options) {
        List<String> args = new ArrayList<>(List.of("quantize", in.toString(), out.toString(), type));
        args.addAll(List.of(options));
        return CommandRun.of(args.toArray(String[]::new));
    }

    private List<String> filesThere() throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void writesTheModelInTheTypeThatWasAskedFor() throws IOException {
        CommandRun run = quantize("q8_0", "--threads", "2");

        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        // 512 numbers in 16 blocks of 34 bytes, and 8 that stay as they are.
        assertThat(run.outLines())
                .containsExactly(
                        "2 tensors, 2.03 KiB (32.00 bits per parameter) to 576 B (8.86): 1 f32, 1 q8_0",
                        "Written: " + out);
        GgufContents contents = GgufContents.read(out);
        assertThat(contents.tensor(GgufSample.UP.name()).type()).isEqualTo(ElementType.Q8_0);
        assertThat(contents.tensor(GgufSample.NORM.name()).type()).isEqualTo(ElementType.F32);
        assertThat(filesThere()).containsExactly("in.gguf", "out.gguf");
    }

    @Test
    void anUnknownTypeIsAMistakeOfTheCommandLine() throws IOException {
        CommandRun run = quantize("q7_0");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.errLines().getFirst()).contains("there is no type 'q7_0' to quantise to; there are F32, F16");
        assertThat(filesThere()).containsExactly("in.gguf");
    }

    @Test
    void aModelThatIsCutShortIsReportedInOneLineAndNothingIsWritten() throws IOException {
        byte[] bytes = Files.readAllBytes(in);
        Files.write(in, Arrays.copyOf(bytes, bytes.length - 100));
        Files.writeString(out, "before");

        CommandRun run = quantize("q8_0");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines())
                .singleElement()
                .asString()
                .startsWith("stowage: " + in + ", byte ")
                .contains("data of tensor 'blk.0.ffn_up.weight'", "cut short or not yet complete");
        assertThat(Files.readString(out)).isEqualTo("before");
        assertThat(filesThere()).containsExactly("in.gguf", "out.gguf");
    }

    @Test
    void whatIsQuantisedAlreadyNeedsToBeAllowed() {
        assertThat(quantize("q8_0").exitCode()).isZero();
        in = out;
        out = folder.resolve("again.gguf");

        CommandRun refused = quantize("q4_0");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.errLines()).singleElement().asString().contains("is quantised already");
        assertThat(out).doesNotExist();
        assertThat(quantize("q4_0", "--allow-requantize").exitCode()).isZero();
    }

    @Test
    void aFolderThatIsNotThereIsReported() {
        out = folder.resolve("missing").resolve("out.gguf");

        CommandRun run = quantize("q8_0");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines())
                .singleElement()
                .asString()
                .startsWith("stowage: cannot write " + out + ": there is no directory");
    }

    @Test
    void progressSaysHowFarAndWhere() {
        assertThat(QuantizeCommand.line(new QuantizeProgress("blk.7.ffn_up.weight", 3 << 20, 4 << 20)))
                .isEqualTo("quantising, 75 %, 3.00 MiB of 4.00 MiB, blk.7.ffn_up.weight");
    }
}
