package dev.stowage.models;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Which device each part of a model is on: its layers, and the output after them. Usually devices have layers in a
 * row, the processor the first ones, since the tokens begin there, and the others theirs in the order they are listed:
 *
 * <pre>
 *   embeddings  layers 0 ..     ..              ..            .. n-1  output
 *   cpu         cpu             gpu0            gpu1
 *               what is left    as many as      as many as
 *                               it is given     it is given
 * </pre>
 */
public final class LayerPlacement {
    /** Stands for what comes before the first layer. */
    public static final int INPUT = -1;

    private final int[] deviceOfPart;
    private final int devices;

    private LayerPlacement(int[] deviceOfPart, int devices) {
        this.deviceOfPart = deviceOfPart;
        this.devices = devices;
    }

    /** Each part on the device given for it, the output last. */
    public static LayerPlacement of(int devices, int... deviceOfPart) {
        return new LayerPlacement(deviceOfPart.clone(), devices);
    }

    /**
     * Parts in a row.
     *
     * @param layers how many layers there are
     * @param parts how many parts, the output among them, each device but the last gets
     */
    public static LayerPlacement inRow(int layers, int... parts) {
        int[] deviceOfPart = new int[layers + 1];
        int next = deviceOfPart.length - IntStream.of(parts).sum();
        Arrays.fill(deviceOfPart, 0, next, parts.length);
        for (int device = 0; device < parts.length; device++) {
            Arrays.fill(deviceOfPart, next, next + parts[device], device);
            next += parts[device];
        }
        return new LayerPlacement(deviceOfPart, parts.length + 1);
    }

    /**
     * Layers in a row as a user counts them: the output goes with the last layer, unless there is one more than the
     * model has layers, which then is the output.
     */
    public static LayerPlacement ofLayers(int layers, int... counts) {
        int[] parts = counts.clone();
        if (IntStream.of(counts).sum() <= layers) {
            int holder = parts.length - 1;
            while (holder >= 0 && parts[holder] == 0) {
                holder--;
            }
            if (holder >= 0) {
                parts[holder]++;
            }
        }
        return inRow(layers, parts);
    }

    /**
     * How many parts each device but the last gets where they are filled in order: the most at the end of the model
     * that there is room for, and none where not even the last part fits.
     *
     * @param partBytes what each part takes, the output last
     * @param rooms what each device but the last has room for
     */
    public static int[] distribute(long[] partBytes, long... rooms) {
        for (int first = 0; first < partBytes.length; first++) {
            int[] parts = new int[rooms.length];
            int next = first;
            for (int device = 0; device < parts.length; device++) {
                parts[device] = fitting(partBytes, next, rooms[device]);
                next += parts[device];
            }
            if (next == partBytes.length) {
                return parts;
            }
        }
        return new int[rooms.length];
    }

    /** How many parts from one on fit into so many bytes. */
    private static int fitting(long[] partBytes, int first, long room) {
        long left = room;
        int next = first;
        while (next < partBytes.length && partBytes[next] <= left) {
            left -= partBytes[next++];
        }
        return next - first;
    }

    /** How many devices there are. */
    public int devices() {
        return devices;
    }

    /** How many layers there are. */
    public int layers() {
        return deviceOfPart.length - 1;
    }

    /** The device of a part; that of {@link #INPUT} is the last. */
    public int deviceOf(int part) {
        return part == INPUT ? devices - 1 : deviceOfPart[part];
    }

    /** The device of the output. */
    public int outputDevice() {
        return deviceOfPart[layers()];
    }

    /** The layers of a device, in order. */
    public int[] layersOf(int device) {
        return IntStream.range(0, layers())
                .filter(layer -> deviceOfPart[layer] == device)
                .toArray();
    }

    /** How many parts, the output among them, each device but the last has. */
    public int[] parts() {
        int[] parts = new int[devices - 1];
        for (int device : deviceOfPart) {
            if (device < parts.length) {
                parts[device]++;
            }
        }
        return parts;
    }

    /** {@link #layerCounts} as on the command line. */
    public Optional<String> layersOn() {
        return layerCounts().map(counts -> counts.stream().map(String::valueOf).collect(Collectors.joining(",")));
    }

    /** The layers on each device but the last that {@link #ofLayers} makes the same of; empty if no numbers do. */
    public Optional<List<Integer>> layerCounts() {
        int[] counts = parts();
        int holder = outputDevice();
        if (holder < counts.length && counts[holder] > 1) {
            counts[holder]--;
        }
        boolean same = Arrays.equals(ofLayers(layers(), counts).deviceOfPart, deviceOfPart);
        return same ? Optional.of(IntStream.of(counts).boxed().toList()) : Optional.empty();
    }
}
