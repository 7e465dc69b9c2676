package dev.stowage.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.CommandRun;
import dev.stowage.cli.GgufSample;
import dev.stowage.gguf.GgufHeader;
import dev.stowage.internal.json.JsonCursor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InspectCommandTest {
    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void writeAModel() {
        file = GgufSample.write(folder.resolve("model.gguf"));
    }

    private CommandRun inspect(String... options) {
        String[] args = new String[options.length + 2];
        args[0] = "inspect";
        args[1] = file.toString();
        System.arraycopy(options, 0, args, 2, options.length);
        return CommandRun.of(args);
    }

    @Test
    void showsWhatTheModelSaysOfItself() {
        CommandRun run = inspect();

        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.outLines().getFirst()).isEqualTo(file + ": GGUF version 3");
        assertThat(run.out().replaceAll(" +", " "))
                .contains(
                        " architecture llama",
                        " parameters 520",
                        " tensors 2",
                        " mostly F32",
                        " data 2.03 KiB, 32.00 bits per parameter",
                        " alignment 32 bytes")
                .contains(" general.serial u64 18446744073709551615")
                .contains(" tokenizer.ggml.tokens arr str[8] a, b, c, d, e, f, …")
                .contains(" tokenizer.ggml.add_bos_token bool true")
                .contains(" f32 2 520 2.03 KiB")
                .doesNotContain("missing", GgufSample.UP.name());
    }

    @Test
    void listsTheTensorsIfAsked() {
        long data = GgufHeader.read(file).dataOffset();

        assertThat(inspect("--tensors").out().replaceAll(" +", " "))
                .contains(" blk.0.ffn_up.weight f32 [256, 2] 2.00 KiB " + data)
                .contains(" output_norm.weight f32 [8] 32 B " + (data + 2048));
    }

    @Test
    void whatTheFileSaysCannotCommandTheTerminal() {
        String line = inspect().outLines().stream()
                .filter(each -> each.contains("chat_template"))
                .findFirst()
                .orElseThrow();

        assertThat(line).contains("{{ a }}\\n\\u{1b}[31mred xxx").endsWith("x…");
    }

    @Test
    void saysTheSameAsJson() {
        CommandRun run = inspect("--json", "--tensors");

        assertThat(run.exitCode()).isZero();
        JsonCursor json = run.json();
        assertThat(json.get("version").asInt()).isEqualTo(3);
        assertThat(json.get("parameters").asLong()).isEqualTo(520);
        assertThat(json.get("data_bytes").asLong()).isEqualTo(2080);
        assertThat(json.get("missing_bytes").asLong()).isZero();
        assertThat(json.get("types").at(0).get("type").asString()).isEqualTo("f32");
        JsonCursor metadata = json.get("metadata");
        assertThat(metadata.get("general.architecture").asString()).isEqualTo("llama");
        assertThat(metadata.get("general.serial").asString()).isEqualTo("18446744073709551615");
        assertThat(metadata.get("llama.rope.freq_base").asDouble()).isEqualTo(10_000.1);
        assertThat(metadata.get("llama.limit").asString()).isEqualTo("Infinity");
        assertThat(metadata.get("tokenizer.ggml.tokens").elements()).hasSize(8);
        JsonCursor tensor = json.get("tensors").at(0);
        assertThat(tensor.get("name").asString()).isEqualTo("blk.0.ffn_up.weight");
        assertThat(tensor.get("shape").at(1).asLong()).isEqualTo(2);
        assertThat(tensor.get("bytes").asLong()).isEqualTo(2048);
    }

    @Test
    void jsonHasTensorsOnlyIfAsked() {
        assertThat(inspect("--json").json().names())
                .contains("types", "metadata")
                .doesNotContain("tensors");
    }

    @Test
    void aFileOfWhichMostIsMissingIsShownAndSaidToBeIncomplete() throws IOException {
        int head = Math.toIntExact(GgufHeader.read(file).dataOffset());
        Files.write(file, Arrays.copyOf(Files.readAllBytes(file), head + 56));

        CommandRun run = inspect("--tensors");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out().replaceAll(" +", " "))
                .contains(" missing 1.98 KiB of the data: not complete", " blk.0.ffn_up.weight f32");
    }

    @Test
    void aBrokenFileIsReportedInOneLine() throws IOException {
        Files.write(file, Arrays.copyOf(Files.readAllBytes(file), 30));

        CommandRun run = inspect();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.errLines()).singleElement().asString().startsWith("stowage: " + file + ", byte ");
    }

    @Test
    void aFileThatIsNotThereIsSaidToBeMissing() throws IOException {
        Files.delete(file);

        CommandRun run = inspect();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errLines()).containsExactly("stowage: no such file: " + file);
    }

    @ParameterizedTest
    @CsvSource({
        "1.0E-5, 1e-05",
        "10000.0, 10000",
        "9.999999974752427E-7, 9.999999974752427e-07",
        "1.5E10, 1.5e+10",
        "0.1, 0.1"
    })
    void realNumbersAreWrittenAsInC(String java, String shown) {
        assertThat(InspectText.decimal(java)).isEqualTo(shown);
    }
}
