package dev.stowage.bench.ggml.schedule;

import dev.stowage.device.DeviceType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.models.LayerMap;
import dev.stowage.models.LayerPlacement;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** How the layers of a model are spread over two accelerators and a processor. */
public enum LayerSplit {
    /** The first half of the layers on one accelerator, the others on the second; the embeddings stay on the host. */
    HALVES,
    /** Layers on the accelerators alternately; the embeddings stay on the host. */
    ALTERNATING,
    /** All weights on the host, and accelerators that want the large multiplications all the same. */
    OFFLOAD;

    private static final long DEVICE_ALIGNMENT = 128;
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

    /** Whether accelerators take ops although their weights are on the host. */
    public boolean offloads() {
        return this == OFFLOAD;
    }

    /** The name of the device that a weight or cache of a model is stored on; the output goes with the last layer. */
    public String device(Tensor tensor, LayerMap map) {
        int part = map.partOf(tensor);
        if (this == OFFLOAD || part == LayerPlacement.INPUT) {
            return DEVICES.getLast();
        }
        int layer = Math.min(part, map.layers() - 1);
        return DEVICES.get(this == HALVES ? (layer < map.layers() / 2 ? 0 : 1) : layer % 2);
    }
}
