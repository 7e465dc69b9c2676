package dev.stowage.llm;

import dev.stowage.device.Device;
import dev.stowage.gguf.GgufFile;
import dev.stowage.llm.model.ModelBlueprint;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.BufferUsage;
import dev.stowage.models.LayerPlacement;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The weights of a model in memory. Each is stored where the device of its part wants it: in the mapped file where the
 * device reads that, prefers nothing else and the options allow it, else in memory of the device, into which it is loaded.
 */
final class ModelWeights implements AutoCloseable {

    /** A weight that has to be copied out of the file, and where to. */
    private record Load(Tensor tensor, BufferType type) {}

    private final ModelBlueprint blueprint;
    private final GgufFile file;
    private final LayerPlacement layers;
    private final List<Device> devices;
    private final ModelOptions options;
    private final List<Buffer> buffers = new ArrayList<>();
    private final long[] bytes;

    private ModelWeights(
            ModelBlueprint blueprint,
            GgufFile file,
            LayerPlacement layers,
            List<Device> devices,
            ModelOptions options) {
        this.blueprint = blueprint;
        this.file = file;
        this.layers = layers;
        this.devices = devices;
        this.options = options;
        this.bytes = new long[devices.size()];
    }

    /**
     * Gives every weight its place, and loads those that do not stay in the file.
     *
     * @throws dev.stowage.error.StowageException if memory or data is lacking; nothing is taken then
     */
    static ModelWeights place(
            ModelBlueprint blueprint,
            GgufFile file,
            LayerPlacement layers,
            List<Device> devices,
            ModelOptions options,
            LoadListener listener) {
        ModelWeights weights = new ModelWeights(blueprint, file, layers, devices, options);
        try {
            weights.loadAll(weights.placeMapped(), listener);
            return weights;
        } catch (RuntimeException | Error e) {
            weights.close();
            throw e;
        }
    }

    private List<Load> placeMapped() {
        List<Load> loads = new ArrayList<>();
        for (int part = LayerPlacement.INPUT; part <= blueprint.outputPart(); part++) {
            int number = layers.deviceOf(part);
            Device device = devices.get(number);
            for (Tensor weight : blueprint.weights(part)) {
                bytes[number] += weight.byteSize();
                BufferType wanted = wanted(device, weight, part);
                if (wanted.equals(device.bufferType()) && staysInFile(weight, device)) {
                    file.place(weight, blueprint.nameInFile(weight));
                } else {
                    loads.add(new Load(weight, wanted));
                }
            }
        }
        return loads;
    }

    private boolean staysInFile(Tensor weight, Device device) {
        return options.mapsWeights()
                && device.supportsBufferType(
                        file.bufferOf(blueprint.nameInFile(weight)).type());
    }

    /** Rows of the embeddings are looked up, which memory for products is not made for. */
    private BufferType wanted(Device device, Tensor weight, int part) {
        return options.rearrangesWeights() && part != LayerPlacement.INPUT
                ? device.weightsType(weight.layout())
                : device.bufferType();
    }

    private void loadAll(List<Load> loads, LoadListener listener) {
        Map<BufferType, List<Tensor>> byType = new LinkedHashMap<>();
        loads.forEach(load ->
                byType.computeIfAbsent(load.type(), _ -> new ArrayList<>()).add(load.tensor()));
        byType.forEach((type, tensors) ->
                buffers.add(Allocations.allocateAll(tensors, type).setUsage(BufferUsage.WEIGHTS)));
        long all = loads.stream().mapToLong(load -> load.tensor().byteSize()).sum();
        long done = 0;
        for (Load load : loads) {
            listener.loaded(done, all);
            file.load(load.tensor(), blueprint.nameInFile(load.tensor()));
            done += load.tensor().byteSize();
        }
        listener.loaded(all, all);
    }

    /** The bytes of the weights on a device. */
    long bytes(int device) {
        return bytes[device];
    }

    /** Gives back the memory that was taken; what lies in the file goes with the file. */
    @Override
    public void close() {
        buffers.forEach(Buffer::close);
        buffers.clear();
    }
}
