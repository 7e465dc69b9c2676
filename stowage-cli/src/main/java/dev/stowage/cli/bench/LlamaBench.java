package dev.stowage.cli.bench;

import dev.stowage.error.MalformedDataException;
import dev.stowage.internal.json.JsonCursor;
import dev.stowage.internal.json.JsonReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Has llama.cpp's own {@code llama-bench} measure the same, as a process of its own, and reads what it says.
 *
 * @param program the file to run
 */
record LlamaBench(Path program) implements LlamaCpp {
    private static final String LIBRARIES = "LD_LIBRARY_PATH";

    @Override
    public void require(ModelBenchCase test) {
        if (test.sequences() > 1) {
            throw new MalformedDataException("llama-bench generates for one sequence at a time, so there is nothing to"
                    + " compare " + test.label() + " with: leave --against or --sequences away");
        }
    }

    @Override
    public List<BenchResult> measure(List<ModelBenchCase> cases, Work work) {
        String batch = String.valueOf(work.batch());
        String cache = work.cacheType().label();
        List<String> command =
                new ArrayList<>(List.of(program.toString(), "-m", work.model().toString()));
        command.addAll(
                List.of("-p", list(cases.stream().map(ModelBenchCase::prompt).toList(), false)));
        command.addAll(
                List.of("-n", list(cases.stream().map(ModelBenchCase::generated).toList(), false)));
        List<Integer> depths = cases.stream().map(ModelBenchCase::depth).toList();
        if (depths.stream().anyMatch(depth -> depth > 0)) {
            command.addAll(List.of("-d", list(depths, true)));
        }
        command.addAll(List.of("-t", String.valueOf(cases.getFirst().threads())));
        command.addAll(List.of("-r", String.valueOf(work.repetitions()), "-o", "json"));
        command.addAll(List.of("-b", batch, "-ub", batch, "-ctk", cache, "-ctv", cache));
        command.addAll(List.of("-fa", work.flash() ? "1" : "0"));
        List<BenchResult> said = parse(run(command));
        return cases.stream().map(each -> find(said, each)).toList();
    }

    /**
     * Those that are asked for, or 0, which leaves that kind of test out.
     *
     * @param withZero whether a 0 among others is one that is asked for
     */
    private static String list(List<Integer> counts, boolean withZero) {
        List<String> asked = counts.stream()
                .filter(count -> withZero || count > 0)
                .distinct()
                .map(String::valueOf)
                .toList();
        return asked.isEmpty() ? "0" : String.join(",", asked);
    }

    private BenchResult find(List<BenchResult> said, ModelBenchCase test) {
        return said.stream()
                .filter(result -> result.test().equals(test))
                .findFirst()
                .orElseThrow(() -> new MalformedDataException(
                        program + " says nothing about " + test.label() + " with " + test.threads() + " threads"));
    }

    private List<BenchResult> parse(String text) {
        try {
            return JsonReader.parse(text).cursor().elements().stream()
                    .map(LlamaBench::result)
                    .toList();
        } catch (MalformedDataException e) {
            throw new MalformedDataException(
                    program + " printed results in an unexpected format: " + e.getMessage(), e);
        }
    }

    private static BenchResult result(JsonCursor one) {
        ModelBenchCase test = new ModelBenchCase(
                one.get("n_prompt").asInt(),
                one.get("n_gen").asInt(),
                1,
                one.find("n_depth").map(JsonCursor::asInt).orElse(0),
                one.get("n_threads").asInt());
        List<Double> speeds = one.find("samples_ts").map(JsonCursor::elements).orElse(List.of()).stream()
                .map(JsonCursor::asDouble)
                .toList();
        return new BenchResult(
                test, speeds.isEmpty() ? List.of(one.get("avg_ts").asDouble()) : speeds);
    }

    private String run(List<String> command) {
        try {
            Path errors = Files.createTempFile("llama-bench", ".log");
            try {
                ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
                addLibraries(builder.environment());
                Process process = builder.start();
                process.getOutputStream().close();
                return output(process, errors);
            } finally {
                Files.delete(errors);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(program + " cannot be run: " + e.getMessage(), e);
        }
    }

    /** Its libraries are usually in the same folder. */
    private void addLibraries(Map<String, String> environment) {
        String folder = String.valueOf(program.getParent());
        environment.merge(LIBRARIES, folder, (before, more) -> more + File.pathSeparator + before);
    }

    private String output(Process process, Path errors) throws IOException {
        try {
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = process.waitFor();
            if (status != 0) {
                throw new MalformedDataException(program + " failed with status " + status
                        + lastLine(errors).map(line -> ": " + line).orElse(""));
            }
            return text;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MalformedDataException("the run of " + program + " was stopped", e);
        } finally {
            process.destroy();
        }
    }

    private static Optional<String> lastLine(Path errors) throws IOException {
        return new String(Files.readAllBytes(errors), StandardCharsets.UTF_8)
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .reduce((_, later) -> later);
    }
}
