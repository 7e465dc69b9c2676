package dev.stowage.llm.model;

import dev.stowage.error.MalformedDataException;
import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.models.WeightSource;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The weights a file lists, as tensors without a place. What is read in several parts of a model gets a tensor in each
 * of them, so that each part can have its own memory: the factors of the rope in every layer, and the embeddings once
 * more as the output matrix where they are tied. Where both are in the mapped file, they are the same bytes.
 */
final class FileWeights implements WeightSource {

    private static final int MOST_MISSING = 200;

    /** Whole numbers, doubles, and the types of intermediate results. */
    private static final Set<ElementType> NOT_OF_MATRICES = EnumSet.of(
            ElementType.I8,
            ElementType.I16,
            ElementType.I32,
            ElementType.I64,
            ElementType.F64,
            ElementType.Q8_1,
            ElementType.Q8_K);

    private final GgufContents contents;
    private final Map<Tensor, String> namesInFile = new HashMap<>();
    private final List<String> problems = new ArrayList<>();

    FileWeights(GgufContents contents) {
        this.contents = contents;
    }

    @Override
    public Tensor weight(String name, long... dimensions) {
        return find(name, dimensions).orElseGet(() -> {
            problems.add("there is no tensor '" + name + "'");
            if (problems.size() >= MOST_MISSING) {
                // A file may claim any number of layers.
                throw new MalformedDataException(contents.parts().getFirst().file() + ": there are no tensors for the "
                        + "layers that its numbers say it has; the first that is missing is: " + problems.getFirst());
            }
            return instead(name, dimensions);
        });
    }

    /** What takes the place of a tensor until all that is wrong with a file is known. */
    private static Tensor instead(String name, long... dimensions) {
        return Tensor.leaf(Layout.contiguous(ElementType.F32, Shape.of(dimensions)))
                .named(name);
    }

    /** What is missing in the file, or has other dimensions than the model's numbers say. */
    List<String> problems() {
        return problems;
    }

    @Override
    public Optional<Tensor> find(String name, long... dimensions) {
        return contents.find(name).map(found -> make(found, name, dimensions));
    }

    @Override
    public Optional<Tensor> ropeFactors(String name, int layer, long count) {
        return contents.find(name).map(found -> make(found, "blk." + layer + "." + name, count));
    }

    @Override
    public Tensor tiedOutput(Tensor embeddings) {
        Optional<GgufTensor> there = contents.find(namesInFile.getOrDefault(embeddings, ""));
        if (there.isEmpty()) {
            return instead("output.weight", embeddings.dim(0), embeddings.dim(1));
        }
        GgufTensor found = there.get();
        return make(found, "output.weight", found.shape().d0(), found.shape().d1());
    }

    private Tensor make(GgufTensor found, String name, long... dimensions) {
        Shape wanted = Shape.of(dimensions);
        if (!found.shape().equals(wanted)) {
            problems.add("tensor '" + found.name() + "' is " + found.shape()
                    + ", but by the model's numbers it must be " + wanted);
        }
        requireUsable(found, dimensions.length == 1 || name.endsWith(".bias"));
        Tensor tensor = Tensor.leaf(found.layout()).named(name).asWeight();
        namesInFile.put(tensor, found.name());
        return tensor;
    }

    /** What is added or multiplied number by number must be f32; matrices may be of any type that holds real numbers. */
    private void requireUsable(GgufTensor found, boolean isVector) {
        ElementType type = found.type();
        boolean usable = isVector ? type == ElementType.F32 : !NOT_OF_MATRICES.contains(type);
        if (!usable) {
            problems.add("tensor '" + found.name() + "' is " + type + ", but must be "
                    + (isVector ? "f32" : "of a type that weights can have"));
        }
    }

    /** What the file calls a tensor that was made here. */
    String nameInFile(Tensor tensor) {
        String name = namesInFile.get(tensor);
        if (name == null) {
            throw new MalformedDataException(tensor.describe() + " is not a weight of this model");
        }
        return name;
    }

    /** The names, in the file, of the tensors that were made here. */
    Set<String> used() {
        return Set.copyOf(namesInFile.values());
    }
}
