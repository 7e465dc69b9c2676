package dev.stowage.gguf.quantize;

import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufTensor;
import dev.stowage.gguf.TensorSpec;
import dev.stowage.tensor.ElementType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/**
 * Which type each tensor of a model gets. The choice is llama.cpp's, without an importance matrix: vectors and norms
 * stay as they are, the output is better than the rest, and mixed file types give more bits to values and to the down
 * projection in some layers. It needs only the head of a file.
 *
 * <p>In one case it goes on where llama.cpp gives up: where rows suit neither the type nor its stand-in, the tensor
 * becomes f16 for every type, and not for the K types alone.
 */
public final class TypeChoice {

    private final SequencedMap<String, TensorSpec> targets;

    private TypeChoice(SequencedMap<String, TensorSpec> targets) {
        this.targets = Collections.unmodifiableSequencedMap(targets);
    }

    /** Chooses for all tensors of a model. */
    public static TypeChoice of(GgufContents contents, FileType target) {
        return of(contents.metadata(), contents.tensors().values(), target);
    }

    /** Chooses for all tensors of a model that is still to be written. */
    public static TypeChoice of(GgufMetadata metadata, List<TensorSpec> tensors, FileType target) {
        // The offset of a tensor decides nothing.
        return of(
                metadata,
                tensors.stream().map(spec -> new GgufTensor(spec, 0, 0)).toList(),
                target);
    }

    private static TypeChoice of(GgufMetadata metadata, Collection<GgufTensor> tensors, FileType target) {
        List<GgufTensor> sorted = new ArrayList<>(tensors);
        sorted.sort(LayerOrder.byLayerAndName());
        MixRules rules = new MixRules(target, ModelTraits.of(metadata, tensors), sorted);
        SequencedMap<String, TensorSpec> targets = new LinkedHashMap<>();
        for (GgufTensor tensor : sorted) {
            ElementType type = KeptTensors.keeps(tensor) ? tensor.type() : rules.typeOf(tensor);
            targets.put(tensor.name(), TensorSpec.of(tensor.name(), type, tensor.shape()));
        }
        return new TypeChoice(targets);
    }

    /** What each tensor becomes, by name, in the order llama.cpp writes them: what belongs to no layer first. */
    public SequencedMap<String, TensorSpec> targets() {
        return targets;
    }
}
