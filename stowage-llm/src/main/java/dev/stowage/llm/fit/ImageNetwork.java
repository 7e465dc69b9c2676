package dev.stowage.llm.fit;

import dev.stowage.models.ResNetGraph;
import dev.stowage.models.ResNetOptions;
import dev.stowage.models.ResNetShape;

/**
 * A network for images and how it is run.
 *
 * @param shape the model
 * @param options how many images at once, and which type its weights have
 */
public record ImageNetwork(ResNetShape shape, ResNetOptions options) implements Workload {
    @Override
    public int layers() {
        return shape.blockCount();
    }

    /** The same with another number of images at once. */
    public ImageNetwork withBatch(int changed) {
        return new ImageNetwork(shape, new ResNetOptions(changed, options.weightType()));
    }

    @Override
    public ModelPasses build() {
        return ModelPasses.of(ResNetGraph.withoutMemory(shape, options));
    }
}
