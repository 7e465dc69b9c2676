package dev.stowage.models;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.tensor.ElementType;
import java.util.Objects;

/**
 * How a residual network is run, which together with its shape decides its graph.
 *
 * @param batch how many images go through the model at once
 * @param weightType the element type of kernels and matrices; those whose rows are not a whole number of its blocks,
 *     which all kernels are for quantised types, are f16, and biases are always f32
 */
public record ResNetOptions(int batch, ElementType weightType) {

    /**
     * @throws InvalidGraphException if the number or the type is impossible
     */
    public ResNetOptions {
        if (batch < 1) {
            throw new InvalidGraphException("there must be at least 1 image, not " + batch);
        }
        WeightTypes.requireWeightType(Objects.requireNonNull(weightType));
    }

    /** One image, f16 weights. */
    public static ResNetOptions defaults() {
        return ofBatch(1);
    }

    /** That many images, f16 weights. */
    public static ResNetOptions ofBatch(int batch) {
        return new ResNetOptions(batch, ElementType.F16);
    }

    /** The same with weights of another type. */
    public ResNetOptions withWeightType(ElementType newWeightType) {
        return new ResNetOptions(batch, newWeightType);
    }
}
