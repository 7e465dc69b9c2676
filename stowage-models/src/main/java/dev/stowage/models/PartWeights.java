package dev.stowage.models;

import dev.stowage.tensor.Tensor;
import java.util.List;

/** The weights of a model by the part of it that reads them, which decides on which device they are stored. */
public sealed interface PartWeights permits TransformerWeights, EncoderWeights {

    /**
     * The weights of a part: a layer by its number, {@link LayerPlacement#INPUT} before the first, or the number of
     * layers for the output. Where the source gives several parts one tensor, each of them has it.
     */
    List<Tensor> tensors(int part);
}
