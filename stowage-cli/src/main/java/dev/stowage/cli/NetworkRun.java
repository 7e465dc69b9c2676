package dev.stowage.cli;

import dev.stowage.models.ResNetGraph;
import dev.stowage.models.ResNetOptions;
import dev.stowage.models.ResNetShape;
import java.util.Locale;

/** A network for images and how it is run. */
record NetworkRun(ResNetShape shape, ResNetOptions options) implements ModelRun {
    @Override
    public String name() {
        return shape.name();
    }

    @Override
    public String description() {
        return shape.description();
    }

    @Override
    public long parameters() {
        return shape.parameters();
    }

    @Override
    public String manner() {
        return String.format(Locale.ROOT, "%,d image%s, ", options.batch(), options.batch() == 1 ? "" : "s")
                + options.weightType() + " weights";
    }

    NetworkRun withBatch(int changed) {
        return new NetworkRun(shape, new ResNetOptions(changed, options.weightType()));
    }

    @Override
    public ModelPasses build() {
        return ModelPasses.of(ResNetGraph.of(shape, options));
    }
}
