package dev.stowage.cli.option;

import dev.stowage.llm.ModelOptions;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** How the layers of a model are distributed over devices: a number for each of them, or one for all. */
public final class LayersOnOption {

    @Option(
            names = "--layers-on",
            split = ",",
            paramLabel = "N",
            converter = CountConverter.OrZero.class,
            description = "Number of layers for each device before the CPU. The CPU gets the rest, the first layers,"
                    + " and the other devices follow in order, as in llama.cpp. The output is on the device of the last"
                    + " layer, unless the numbers add up to one more than there are layers: then the last of them is"
                    + " the output. Weights and KV cache of a layer are stored on its device. Default: as many as fit.")
    private @Nullable List<Integer> layersOn;

    @Option(
            names = {"-ngl", "--gpu-layers", "--n-gpu-layers"},
            paramLabel = "N",
            converter = GpuLayers.class,
            description =
                    "Number of layers for all devices before the CPU together, in proportion to their free memory;"
                            + " all, or more than there are, stands for all layers and the output, auto for as many as fit."
                            + " Default: auto.")
    private @Nullable Integer gpuLayers;

    /** Reads a number of layers, {@code all} or {@code auto}. */
    static final class GpuLayers implements ITypeConverter<Integer> {
        private final CountConverter.OrZero numbers = new CountConverter.OrZero();

        @Override
        public Integer convert(String text) {
            return switch (text.strip()) {
                case "all" -> Integer.MAX_VALUE;
                case "auto", "-1" -> ModelOptions.AS_MANY_AS_FIT;
                default -> {
                    try {
                        yield numbers.convert(text);
                    } catch (TypeConversionException _) {
                        throw new TypeConversionException(
                                "'" + text + "' is not a number of layers: give a whole number from 0, all or auto");
                    }
                }
            };
        }
    }

    /** The numbers that are given on the command line, one for each device. */
    public Optional<List<Integer>> layersOn() {
        return Optional.ofNullable(layersOn);
    }

    /** The number for all devices together, where one is given and it is not auto. */
    public Optional<Integer> gpuLayers() {
        return Optional.ofNullable(gpuLayers).filter(count -> count != ModelOptions.AS_MANY_AS_FIT);
    }

    /**
     * Options with what is given.
     *
     * @param command the command that has these options
     * @throws ParameterException if both are given
     */
    public ModelOptions applyTo(ModelOptions options, CommandSpec command) {
        if (layersOn != null && gpuLayers != null) {
            throw new ParameterException(
                    command.commandLine(),
                    "-ngl and --layers-on exclude each other: one is for all devices together, the other for each");
        }
        ModelOptions changed = layersOn().map(options::withLayersOn).orElse(options);
        return gpuLayers().map(changed::withGpuLayers).orElse(changed);
    }
}
