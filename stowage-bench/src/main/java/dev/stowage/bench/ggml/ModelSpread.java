package dev.stowage.bench.ggml;

import dev.stowage.device.DeviceType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How the layers of a model are spread over two accelerators and a processor. */
public enum ModelSpread {
    /** The first half of the layers on one accelerator, the others on the second; the embeddings stay on the host. */
    HALVES,
    /** Layers on the accelerators in turn; the embeddings stay on the host. */
    ALTERNATING,
    /** All weights on the host, and accelerators that want the large multiplications all the same. */
    OFFLOAD;

    private static final long DEVICE_ALIGNMENT = 128;
    private static final Pattern LAYER = Pattern.compile("(?:blk\\.|cache_[kv]_l)(\\d+)");

    private static final List<String> DEVICES = List.of("gpu0", "gpu1", "cpu");

    /** The devices; the name of a device is the name of its memory. */
    public List<NoOpRules> devices() {
        return List.of(accelerator(0), accelerator(1), processor());
    }

    private NoOpRules accelerator(int number) {
        String name = DEVICES.get(number);
        return new NoOpRules(
                name,
                DeviceType.GPU,
                MeasuringBufferType.of(name, DEVICE_ALIGNMENT),
                EnumSet.allOf(Op.class),
                offloads() ? Set.of(Op.MUL_MAT) : Set.of(),
                Set.of(name),
                true,
                false);
    }

    private static NoOpRules processor() {
        String name = DEVICES.getLast();
        return new NoOpRules(
                name,
                DeviceType.CPU,
                MeasuringBufferType.of(name, HostBufferType.STANDARD_ALIGNMENT).withHost(true),
                EnumSet.allOf(Op.class),
                Set.of(),
                Set.of(name),
                false,
                false);
    }

    /** Whether accelerators take ops although their weights lie on the host. */
    public boolean offloads() {
        return this == OFFLOAD;
    }

    /** The name of the device whose memory a weight or cache of a model with so many layers lies in. */
    public String device(Tensor tensor, int layers) {
        Matcher name = LAYER.matcher(tensor.name());
        boolean isOfLayer = name.lookingAt();
        if (this == OFFLOAD || !(isOfLayer || tensor.name().startsWith("output"))) {
            return DEVICES.getLast();
        }
        int layer = isOfLayer ? Integer.parseInt(name.group(1)) : layers - 1;
        return DEVICES.get(this == HALVES ? (layer < layers / 2 ? 0 : 1) : layer % 2);
    }
}
