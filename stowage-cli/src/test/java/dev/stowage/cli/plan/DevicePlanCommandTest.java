package dev.stowage.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.CommandRun;
import dev.stowage.cli.text.ByteSize;
import dev.stowage.internal.json.JsonCursor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code stowage plan --devices} prints, answers and refuses. */
class DevicePlanCommandTest {
    /** A line of options for a small model that takes little time to plan. */
    private static CommandRun plan(String line) {
        return CommandRun.of(("plan " + line).split(" "));
    }

    private static String row(CommandRun run, String device) {
        return run.outLines().stream()
                .filter(line -> line.startsWith("  " + device + " "))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no row for " + device + " in " + run.out() + run.err()));
    }

    @Test
    void everyDeviceHasARowWithWhatItHolds() {
        CommandRun run = plan("--devices gpu:1GiB,gpu:1GiB,cpu --layers-on 1,2");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.outLines().getFirst()).startsWith("small: ").contains("512 tokens");
        assertThat(row(run, "gpu0")).contains("layer 1 ", "1.00 GiB");
        assertThat(row(run, "gpu1")).contains("layers 2-3, output", "1.00 GiB");
        assertThat(row(run, "cpu")).contains("embeddings, layer 0", "no limit");
        assertThat(run.out())
                .contains("3 splits: cpu ", ", then gpu0 ", ", then gpu1 ", "copied per run: gpu0 to gpu1 ")
                .contains("It fits.")
                .contains("Placed by 'ggml', planned by 'ggml' in ");
    }

    @Test
    void numbersStandBelowTheirHeadings() {
        List<String> lines = plan("--devices gpu:1GiB,cpu:1GiB").outLines();
        List<String> table = lines.subList(2, 6);
        assertThat(table.getFirst().strip()).startsWith("device  holds").endsWith("left");
        assertThat(table.get(1)).hasSameSizeAs(table.getFirst());
        assertThat(table.get(2)).hasSameSizeAs(table.getFirst());
        assertThat(table.get(3)).startsWith("  all ");
    }

    @Test
    void withoutLayersTheDevicesAreFilledInOrder() {
        CommandRun run = plan("--devices gpu:1GiB,cpu");
        assertThat(row(run, "gpu")).contains("layers 0-3, output");
        assertThat(row(run, "cpu")).contains("embeddings  ");
        assertThat(run.out()).contains("Its layers are distributed as by --layers-on 4.");
    }

    @Test
    void manySplitsAreCountedByDevice() {
        CommandRun run = plan("llama-3-1b --flash --devices gpu:4GiB,cpu --layers-on 0 --offload");
        assertThat(run.out()).containsPattern("\\d+ splits: \\d+ on gpu with \\d+ nodes, \\d+ on cpu with \\d+ nodes");
    }

    @Test
    void aModelOnOneDeviceCopiesNothing() {
        assertThat(plan("--devices cpu").out()).contains("1 split: cpu 131 nodes", "nothing is copied between devices");
    }

    @Test
    void aPipelineTakesMoreMemoryAndALeanOneLess() {
        String line = "--json --devices gpu,gpu,cpu --layers-on 2,2";
        long none = compute(plan(line));
        long everywhere = compute(plan(line + " --pipeline 4"));
        long lean = compute(plan(line + " --pipeline 4 --lean-pipeline"));
        assertThat(none).isLessThan(lean);
        assertThat(lean).isLessThan(everywhere);
        assertThat(plan("--devices gpu,gpu,cpu --pipeline 4").out()).contains("pipeline of 4, with copies of all");
        assertThat(plan("--devices gpu,gpu,cpu --pipeline 4 --lean-pipeline").out())
                .contains("pipeline of 4, with copies only where");
    }

    private static long compute(CommandRun run) {
        return run.json().get("devices").elements().stream()
                .mapToLong(device -> device.get("compute_bytes").asLong())
                .sum();
    }

    @Test
    void whatDoesNotFitFailsTheJobAndSaysByHowManyBytes() {
        CommandRun run = plan("--devices gpu:30MiB,cpu --layers-on 4");
        JsonCursor gpu = plan("--json --devices gpu:30MiB,cpu --layers-on 4")
                .json()
                .get("devices")
                .elements()
                .getFirst();
        long missing = gpu.get("total_bytes").asLong() - (30 << 20);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .contains("It does not fit: gpu lacks " + ByteSize.format(missing))
                .contains(String.format(Locale.ROOT, "(%,d bytes)", missing))
                .contains("What would help:", "--layers-on 0 ");
        assertThat(gpu.get("missing_bytes").asLong()).isEqualTo(missing);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--no-flash --devices gpu:90MiB,cpu --layers-on 4",
                "--devices cpu:100MiB",
                "--context 16384 --no-flash --devices cpu:200MiB",
                "--devices gpu:110MiB,gpu:110MiB,cpu --layers-on 2,2 --pipeline 16",
                "resnet-50 --batch 16 --devices cpu:150MiB"
            })
    void whatIsSaidToFitDoesFit(String line) {
        JsonCursor json = plan(line + " --json").json();
        assertThat(json.get("fits").asBoolean()).isFalse();
        List<String> enough = json.get("advice").elements().stream()
                .filter(advice -> advice.get("fits").asBoolean())
                .map(advice -> advice.get("change").asString())
                .toList();
        assertThat(enough).isNotEmpty();
        for (String change : enough) {
            assertThat(plan(changed(line, change)).exitCode()).as(change).isZero();
        }
    }

    /** The options with the change made to them. */
    private static String changed(String line, String change) {
        String option = change.startsWith("no ") ? change.substring(3) : change.split(" ", -1)[0];
        String other = option.equals("--flash") ? line.replace("--no-flash", "") : line;
        String without = other.replaceAll(option + "( [^-]\\S*)?", "").strip().replaceAll(" +", " ");
        return change.startsWith("no ") ? without : without + " " + change;
    }

    @Test
    void whereNothingIsEnoughTheBestIsSaidWithWhatIsStillMissing() {
        CommandRun run = plan("--no-flash --devices cpu:1MiB");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("What would help:").containsPattern("--flash .* MiB still missing");
    }

    @Test
    void jsonHoldsEverythingInBytes() {
        CommandRun run = plan("--json --devices gpu:1GiB,gpu:512MiB,cpu --layers-on 1,3 --pipeline 2");
        assertThat(run.exitCode()).isZero();
        JsonCursor json = run.json();
        assertThat(json.get("model").asString()).isEqualTo("small");
        assertThat(json.get("options").get("tokens").asInt()).isEqualTo(512);
        assertThat(json.get("placement").asString()).isEqualTo("ggml");
        assertThat(json.get("pipeline").asInt()).isEqualTo(2);
        assertThat(json.get("lean_pipeline").asBoolean()).isFalse();
        assertThat(json.get("offload").asBoolean()).isFalse();
        assertThat(json.get("filled_in_order").asBoolean()).isFalse();
        assertThat(json.get("nodes").asInt()).isEqualTo(131);
        assertThat(json.get("fits").asBoolean()).isTrue();
        assertThat(json.get("missing_bytes").asLong()).isZero();
        assertThat(json.get("planner").asString()).isEqualTo("ggml");
        assertThat(json.get("advice").elements()).isEmpty();
    }

    @Test
    void jsonOfADeviceAddsUp() {
        for (JsonCursor device :
                plan("--json --devices gpu:1GiB,cpu:2GiB").json().get("devices").elements()) {
            long total = device.get("total_bytes").asLong();
            assertThat(total)
                    .isEqualTo(device.get("weights_bytes").asLong()
                            + device.get("kv_cache_bytes").asLong()
                            + device.get("compute_bytes").asLong());
            assertThat(device.get("free_bytes").asLong())
                    .isEqualTo(device.get("memory_bytes").asLong() - total);
        }
    }

    @Test
    void jsonOfTheSplitsCoversTheGraphAndAllCopies() {
        JsonCursor json = plan("--json --devices gpu,gpu,cpu --layers-on 2,2").json();
        int next = 0;
        long bytes = 0;
        int copies = 0;
        for (JsonCursor split : json.get("splits").elements()) {
            assertThat(split.get("first_node").asInt()).isEqualTo(next);
            next += split.get("nodes").asInt();
            for (JsonCursor copy : split.get("copies").elements()) {
                bytes += copy.get("bytes").asLong();
                copies++;
            }
        }
        assertThat(next).isEqualTo(json.get("nodes").asInt());
        assertThat(bytes).isEqualTo(json.get("copied_bytes").asLong());
        assertThat(copies).isEqualTo(json.get("copied_tensors").asInt());
    }

    @Test
    void explainAddsTheSplitsWithTheReasonOfEveryNode() {
        assertThat(plan("--explain --devices gpu,cpu").out())
                .contains("split 1 on gpu", "a weight it reads is there, 'blk.0.attn_q.weight'");
        assertThat(plan("--explain --json --devices gpu,cpu")
                        .json()
                        .get("explanation")
                        .asString())
                .contains("split 1 on gpu");
    }

    @Test
    void thePictureHasAPanelForEachDevice(@TempDir Path folder) throws IOException {
        Path svg = folder.resolve("plan.svg");
        Path html = folder.resolve("plan.html");
        CommandRun run = plan("--tokens 8 --devices gpu,cpu --svg " + svg + " --html " + html);
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(Files.readString(svg)).startsWith("<svg").contains("gpu", "cpu");
        assertThat(Files.readString(html)).contains("gpu", "cpu", "8 tokens");
    }

    @Test
    void blocksOfANetworkForImagesAreDistributedToo() {
        CommandRun run = plan("resnet-50 --devices gpu:1GiB,cpu --layers-on 8");
        assertThat(row(run, "gpu")).contains("layers 8-15, output");
        assertThat(row(run, "cpu")).contains("images, layers 0-7");
    }

    @Test
    void placementByCostSaysWhatItPredictsAndByWhichSpeeds() {
        CommandRun run = plan("--devices gpu:1GiB,cpu --layers-on 2 --placement cost");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("predicted ", "taking a gpu for 40 TFLOP/s", "Placed by 'cost'");
        JsonCursor json = plan("--json --devices gpu:1GiB,cpu --layers-on 2 --placement cost")
                .json();
        assertThat(json.get("predicted_ns").asLong())
                .isPositive()
                .isLessThanOrEqualTo(json.get("predicted_ns_by_ggml").asLong());
    }

    @Test
    void helpSaysHowLayersAndOutputAreCounted() {
        assertThat(plan("--help").out().replaceAll("\\s+", " "))
                .contains(
                        "--devices=LIST",
                        "The output is on the device of the last layer",
                        "as in llama.cpp",
                        "gpu:24GiB");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--devices", "--layers-on", "--placement", "--pipeline", "--lean-pipeline", "--offload"})
    void completionKnowsTheOptions(String option) {
        assertThat(CommandRun.of("completion").out()).contains(option);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--devices foo | 'foo' is not a device: give gpu or cpu",
                "--devices gpu:-1,cpu | '-1' in 'gpu:-1' is not an amount of memory",
                "--devices gpu:24GiB | the list must end with 'cpu'",
                "--devices cpu,gpu:24GiB | the list must end with 'cpu'",
                "--devices gpu:24,cpu | '24' in 'gpu:24' is not an amount of memory",
                "--devices | Missing required parameter for option '--devices'",
                "--devices gpu,cpu --layers-on 6 | --layers-on has 6 layers, but small has 4, and the output",
                "--devices gpu,gpu,cpu --layers-on 3,3 | --layers-on has 6 layers, but small has 4",
                "--devices gpu,gpu,cpu --layers-on 2 | a number for each device before the cpu, 2, not 1",
                "--devices gpu,cpu --layers-on 2,2 | a number for each device before the cpu, 1, not 2",
                "--devices cpu --layers-on 4 | a number for each device before the cpu, 0, not 1",
                "--devices gpu,cpu --layers-on -1 | '-1' is not a whole number from 0",
                "--devices gpu,cpu --layers-on many | 'many' is not a whole number from 0",
                "--devices gpu,cpu --pipeline 0 | '0' is not a whole number from 1",
                "--devices gpu,cpu --lean-pipeline | --lean-pipeline needs a pipeline",
                "--devices gpu,cpu --placement luck | unknown placement 'luck'; known are ggml, cost",
                "--devices gpu,cpu --budget 1GiB | --budget is for a plan in one memory",
                "--devices gpu,cpu --reorder | --reorder is for a plan in one memory",
                "--layers-on 4 | --layers-on needs devices",
                "--pipeline 4 | --pipeline needs devices",
                "--lean-pipeline | --lean-pipeline needs devices",
                "--placement ggml | --placement needs devices",
                "--offload | --offload needs devices"
            })
    void nonsenseIsAUsageErrorReportedInOneLine(String line, String message) {
        CommandRun run = plan(line);
        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.errLines()).hasSize(2);
        assertThat(run.errLines().getFirst()).startsWith("stowage: ").contains(message);
        assertThat(run.errLines().getLast()).isEqualTo("Try 'stowage plan --help'.");
    }

    @Test
    void whatIsReservedStaysFree() {
        String machine = "gpu:24GiB,gpu:24GiB,cpu:64GiB";
        CommandRun all = CommandRun.of("plan", "llama-3-8b", "--batch", "1", "--devices", machine);
        CommandRun some =
                CommandRun.of("plan", "llama-3-8b", "--batch", "1", "--devices", machine, "--reserve", "12GiB,0,1GiB");

        assertThat(all.out()).contains("24.00 GiB", "64.00 GiB");
        assertThat(some.exitCode()).as(some.err()).isZero();
        assertThat(some.out()).contains("12.00 GiB", "24.00 GiB", "63.00 GiB");
        assertThat(CommandRun.of("plan", "llama-3-8b", "--devices", machine, "--reserve", "1GiB,2GiB")
                        .err())
                .contains("--reserve must have one size for all devices, or one for each of the 3, not 2");
    }

    @Test
    void thePageHasWhatDevicesHoldAndWhetherItFits(@TempDir Path folder) throws IOException {
        Path page = folder.resolve("plan.html");
        CommandRun run = CommandRun.of(
                "plan", "llama-3-1b", "--batch", "1", "--devices", "gpu:1GiB,cpu:64GiB", "--html", page.toString());

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.outLines()).endsWith("Written: " + page);
        assertThat(Files.readString(page))
                .contains("<th class=\"number\">weights</th>", "<th class=\"number\">KV cache</th>", "<td>gpu</td>")
                .contains("<p>It fits.");
    }
}
