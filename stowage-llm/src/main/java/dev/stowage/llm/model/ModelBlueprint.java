package dev.stowage.llm.model;

import dev.stowage.error.MalformedDataException;
import dev.stowage.error.StowageException;
import dev.stowage.gguf.GgufContents;
import dev.stowage.models.DecoderBlocks;
import dev.stowage.models.DecoderGraph;
import dev.stowage.models.EncoderGraph;
import dev.stowage.models.EncoderWeights;
import dev.stowage.models.KeyValueCache;
import dev.stowage.models.LayerPlacement;
import dev.stowage.models.PartWeights;
import dev.stowage.models.Pass;
import dev.stowage.models.TransformerShape;
import dev.stowage.models.TransformerWeights;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * A model as its file describes it: shape, weights and graphs, none of them with memory yet. It is made from the head
 * of the file alone, so that everything can be planned before anything is loaded.
 *
 * <p>A model has parts: its layers, counted from 0, after them the output, and {@link LayerPlacement#INPUT} before
 * them, where tokens are looked up.
 */
public final class ModelBlueprint {

    private static final int MOST_PROBLEMS = 12;

    private final GgufContents contents;
    private final Architecture architecture;
    private final HyperParameters numbers;
    private final TransformerShape shape;
    private final FileWeights source;
    private final PartWeights weights;

    private ModelBlueprint(GgufContents contents, Architecture architecture) {
        this.contents = contents;
        this.architecture = architecture;
        this.numbers = new HyperParameters(contents);
        this.shape = shape(architecture, numbers);
        this.source = new FileWeights(contents);
        this.weights = shape.traits()
                .encoder()
                .<PartWeights>map(encoder -> new EncoderWeights(shape, encoder, source))
                .orElseGet(() -> new TransformerWeights(shape, source));
        List<String> problems = new ArrayList<>(numbers.problems());
        problems.addAll(source.problems());
        LeftOverTensors.in(contents, source.used(), shape.layers()).ifPresent(problems::add);
        if (!problems.isEmpty()) {
            throw new MalformedDataException(numbers.source() + ": " + listed(problems));
        }
    }

    private static TransformerShape shape(Architecture architecture, HyperParameters numbers) {
        try {
            return architecture.shape(numbers);
        } catch (MalformedDataException e) {
            throw e;
        } catch (StowageException e) {
            throw new MalformedDataException(numbers.source() + ": " + e.getMessage(), e);
        }
    }

    /** All that is wrong, so that nobody has to correct a file step by step; of very much, the first. */
    private static String listed(List<String> problems) {
        List<String> first = problems.subList(0, Math.min(problems.size(), MOST_PROBLEMS));
        String all = String.join("; ", first);
        return problems.size() > first.size()
                ? all + "; and " + (problems.size() - first.size()) + " further problems"
                : all;
    }

    /**
     * The model that a file describes.
     *
     * @throws MalformedDataException if its architecture is not known, a number or a weight is missing or does not fit the
     *     others, or the file has tensors that the model would not use; the message names all of what is not supported
     */
    public static ModelBlueprint of(GgufContents contents) {
        return new ModelBlueprint(
                contents, Architectures.named(contents.metadata().architecture()));
    }

    public GgufContents contents() {
        return contents;
    }

    public Architecture architecture() {
        return architecture;
    }

    public TransformerShape shape() {
        return shape;
    }

    /** The number of the part after the layers. */
    public int outputPart() {
        return shape.layers();
    }

    /** The weights of a part. */
    public List<Tensor> weights(int part) {
        return weights.tensors(part);
    }

    /** The weights of all parts, in order. */
    public List<Tensor> weights() {
        List<Tensor> all = new ArrayList<>();
        for (int part = LayerPlacement.INPUT; part <= outputPart(); part++) {
            all.addAll(weights(part));
        }
        return all;
    }

    /** What the file calls a weight; some go by another name, as they are there several times. */
    public String nameInFile(Tensor weight) {
        return source.nameInFile(weight);
    }

    /**
     * A cache for keys and values, without a place.
     *
     * @throws dev.stowage.error.InvalidGraphException if this model cannot have such a cache
     */
    public KeyValueCache newCache(int cells, ElementType type, boolean flash) {
        return newCache(cells, cells, type, flash);
    }

    /**
     * As {@link #newCache(int, ElementType, boolean)}, with fewer cells in layers with a window.
     *
     * @throws dev.stowage.error.InvalidGraphException if this model cannot have such a cache
     */
    public KeyValueCache newCache(int cells, int windowCells, ElementType type, boolean flash) {
        return new KeyValueCache(shape, cells, windowCells, type, flash);
    }

    /** The graph of one pass over a cache. */
    public DecoderGraph graph(KeyValueCache cache, Pass pass) {
        return switch (weights) {
            case TransformerWeights decoder ->
                architecture.graph(new DecoderBlocks(shape, decoder, cache, pass), numbers);
            case EncoderWeights encoder -> EncoderGraph.build(shape, encoder, cache, pass);
        };
    }
}
