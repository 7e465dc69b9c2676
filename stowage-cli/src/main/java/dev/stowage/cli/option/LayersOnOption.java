package dev.stowage.cli.option;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How the layers of a model are distributed over devices. */
public final class LayersOnOption {

    @Option(
            names = "--layers-on",
            split = ",",
            paramLabel = "N",
            converter = CountConverter.OrZero.class,
            description = "Number of layers for each device before the CPU. The CPU gets the rest, the first layers,"
                    + " and the other devices follow in order, as in llama.cpp. The output is on the device of the last"
                    + " layer, unless the numbers add up to one more than there are layers: then the last of them is"
                    + " the output. Weights and KV cache of a layer are stored on its device. Default: as many as fit,"
                    + " the first device first.")
    private @Nullable List<Integer> layersOn;

    /** The numbers that are given on the command line. */
    public Optional<List<Integer>> layersOn() {
        return Optional.ofNullable(layersOn);
    }
}
