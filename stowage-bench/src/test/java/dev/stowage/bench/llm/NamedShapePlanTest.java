package dev.stowage.bench.llm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.StowageCommand;
import dev.stowage.cli.bench.ModelMakerShapes;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufWriter;
import dev.stowage.gguf.TensorSpec;
import dev.stowage.gguf.quantize.FileType;
import dev.stowage.gguf.quantize.TypeChoice;
import dev.stowage.models.ModelShape;
import dev.stowage.models.ModelShapes;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** A model by name and a file of its shape have the same defaults and the same plan, to the byte. */
class NamedShapePlanTest {

    private static final List<String> TYPES = List.of("f16", "q8_0", "q4_0", "q4_K_M");

    private static final List<String> OPTIONS = List.of(
            "", "--ctx 300", "--ctx 0 --batch 64", "--no-flash --batch 100", "--cache-type q8_0", "--outputs 3");

    @TempDir
    private Path folder;

    static Stream<String> shapes() {
        List<String> named = ModelShapes.all().stream().map(ModelShape::name).toList();
        return ModelMakerShapes.NAMES.stream().filter(named::contains);
    }

    /** The head of the file that {@code make-model} would make, which is all that a plan reads. */
    private Path head(String shape, String type) throws IOException {
        ModelRecipe recipe = ModelRecipes.named(shape);
        GgufMetadata tokenizer = SentencePieces.ofSize(recipe.tokens().known());
        int vocabulary = Tokenizers.vocabulary(tokenizer);
        FileType target = FileType.named(type);
        GgufMetadata metadata = RecipeMetadata.of(shape, recipe, target, tokenizer, vocabulary);
        List<TensorSpec> specs = RecipeTensors.of(recipe, vocabulary).stream()
                .map(RandomTensor::spec)
                .toList();
        Path file = folder.resolve(shape + "-" + type + ".gguf");
        try (GgufWriter _ = GgufWriter.create(
                        file,
                        metadata,
                        List.copyOf(
                                TypeChoice.of(metadata, specs, target).targets().values()));
                Stream<Path> unfinished = Files.list(folder)) {
            Files.move(
                    unfinished
                            .filter(each -> each.toString().endsWith(".part"))
                            .findFirst()
                            .orElseThrow(),
                    file);
        }
        return file;
    }

    /** What a plan says of options and devices. */
    private static String plan(String model, String line) {
        List<String> args = new ArrayList<>(List.of("plan", model, "--json"));
        args.addAll(List.of(line.strip().split(" +")));
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine command =
                StowageCommand.commandLine("plan").setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        StowageCommand.execute(command, args.toArray(String[]::new));
        assertThat(err.toString()).isEmpty();
        String json = out.toString();
        // Only a name is asked for a mixture; a file has the types that it has.
        String options = between(json, "\"options\"", "}").replaceAll("\\s*\"mixture\": \"\\w+\",", "");
        return options + between(json, "\"devices\"", "\"splits\"");
    }

    private static String between(String text, String from, String to) {
        int start = text.indexOf(from);
        return text.substring(start, text.indexOf(to, start));
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void aFileOfAShapeIsPlannedAsTheShape(String shape) throws IOException {
        for (String type : TYPES) {
            Path file = head(shape, type);
            for (String options : OPTIONS) {
                for (String devices : List.of("cpu", "gpu:4GiB,cpu")) {
                    String both = options + " --devices " + devices;
                    String inFile = plan(file.toString(), both);
                    assertThat(plan(shape, "--type " + type + " " + both))
                            .as("%s %s %s", shape, type, both)
                            .isEqualTo(inFile);
                }
            }
            Files.delete(file);
        }
    }
}
