package dev.stowage.llm.model;

import dev.stowage.error.MalformedDataException;
import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.models.WeightSource;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The weights a file lists, as tensors without a place. What is read in several parts of a model gets a tensor in each
 * of them, so that each part can have its own memory: the factors of the rope in every layer, and the embeddings once
 * more as the output matrix where they are tied. Where both are in the mapped file, they are the same bytes.
 */
final class FileWeights implements WeightSource {

    private static final String ROPE_FACTORS = "rope_freqs.weight";

    private final GgufContents contents;
    private final Map<Tensor, String> namesInFile = new HashMap<>();

    FileWeights(GgufContents contents) {
        this.contents = contents;
    }

    @Override
    public Tensor weight(String name, long... dimensions) {
        return make(contents.tensor(name), name, dimensions);
    }

    @Override
    public Optional<Tensor> find(String name, long... dimensions) {
        return contents.find(name).map(found -> make(found, name, dimensions));
    }

    @Override
    public Optional<Tensor> ropeFactors(int layer, long count) {
        return contents.find(ROPE_FACTORS).map(found -> make(found, "blk." + layer + "." + ROPE_FACTORS, count));
    }

    @Override
    public Tensor tiedOutput(Tensor embeddings) {
        GgufTensor found = contents.tensor(nameInFile(embeddings));
        return make(found, "output.weight", found.shape().d0(), found.shape().d1());
    }

    private Tensor make(GgufTensor found, String name, long... dimensions) {
        Shape wanted = Shape.of(dimensions);
        if (!found.shape().equals(wanted)) {
            throw new MalformedDataException(contents.parts().get(found.part()).file() + ": tensor '" + found.name()
                    + "' is " + found.shape() + ", but by the model's numbers it must be " + wanted);
        }
        Tensor tensor = Tensor.leaf(found.layout()).named(name).asWeight();
        namesInFile.put(tensor, found.name());
        return tensor;
    }

    /** What the file calls a tensor that was made here. */
    String nameInFile(Tensor tensor) {
        String name = namesInFile.get(tensor);
        if (name == null) {
            throw new MalformedDataException(tensor.describe() + " is not a weight of this model");
        }
        return name;
    }
}
