package dev.stowage.bench.llm;

import dev.stowage.bench.llm.ModelRecipe.Trait;
import dev.stowage.cli.bench.ModelMaker;
import dev.stowage.cli.bench.ModelMakerRequest;
import dev.stowage.cli.text.Progress;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufWriter;
import dev.stowage.gguf.TensorSpec;
import dev.stowage.gguf.quantize.TypeChoice;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What {@code stowage bench make-model} runs: makes a GGUF file by a recipe, in the types llama.cpp would choose for
 * its tensors. The weights are scaled so that activations keep their magnitude from layer to layer.
 */
public final class RandomModelMaker implements ModelMaker {

    private static final double MIB = 1 << 20;

    /** For {@link java.util.ServiceLoader}. */
    public RandomModelMaker() {}

    @Override
    public void make(ModelMakerRequest request, PrintWriter out, PrintWriter err) {
        ModelRecipe recipe = ModelRecipes.named(request.shape());
        Path from = request.tokenizerFrom();
        GgufMetadata tokenizer = from == null ? madeUp(recipe) : Tokenizers.from(from);
        int vocabulary = Tokenizers.vocabulary(tokenizer);
        List<RandomTensor> tensors = recipe.has(Trait.ENCODER)
                ? EncoderTensors.of(recipe, vocabulary)
                : RecipeTensors.of(recipe, vocabulary);
        GgufMetadata metadata = RecipeMetadata.of(request.shape(), recipe, request.type(), tokenizer, vocabulary);
        List<TensorSpec> specs = List.copyOf(
                TypeChoice.of(metadata, tensors.stream().map(RandomTensor::spec).toList(), request.type())
                        .targets()
                        .values());
        write(request, metadata, specs, tensors, err);
        print(request, specs, out);
    }

    private static GgufMetadata madeUp(ModelRecipe recipe) {
        int known = recipe.tokens().known();
        return recipe.has(Trait.ENCODER) ? WordPieces.ofSize(known) : SentencePieces.ofSize(known);
    }

    private static void write(
            ModelMakerRequest request,
            GgufMetadata metadata,
            List<TensorSpec> specs,
            List<RandomTensor> tensors,
            PrintWriter err) {
        Map<String, RandomTensor> byName = tensors.stream()
                .collect(Collectors.toMap(tensor -> tensor.spec().name(), Function.identity()));
        long parameters = parameters(specs);
        Progress progress = Progress.onTerminal(err);
        try (GgufWriter writer = GgufWriter.create(request.out(), metadata, specs)) {
            new RandomModelWriter(
                            writer,
                            request.seed(),
                            done -> progress.show("making weights, " + 100 * done / parameters + " %"))
                    .write(specs, byName, request.threads());
            writer.finish();
        } finally {
            progress.clear();
        }
    }

    private static void print(ModelMakerRequest request, List<TensorSpec> specs, PrintWriter out) {
        out.printf(
                Locale.ROOT,
                "%s, %s, seed %d: %d tensors, %,d parameters, %.2f MiB%n",
                request.shape(),
                request.type(),
                request.seed(),
                specs.size(),
                parameters(specs),
                specs.stream().mapToLong(TensorSpec::byteSize).sum() / MIB);
        out.println("Written: " + request.out());
        out.flush();
    }

    private static long parameters(List<TensorSpec> specs) {
        return specs.stream().mapToLong(spec -> spec.shape().elements()).sum();
    }
}
