package dev.stowage.llm;

import dev.stowage.device.Device;
import dev.stowage.gguf.GgufFile;
import dev.stowage.llm.fit.WeightDevices;
import dev.stowage.llm.fit.WeightMemory;
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
 * The weights of a model in memory. Each is where {@link WeightMemory} has it, as in the plan of the model: in the
 * mapped file, or in memory of the device of its part, into which it is loaded.
 */
final class ModelWeights implements AutoCloseable {

    /** Memory that weights have to be copied to out of the file. */
    private record Target(int device, BufferType type) {}

    private final ModelBlueprint blueprint;
    private final GgufFile file;
    private final LayerPlacement layers;
    private final List<Device> devices;
    private final WeightMemory memory;
    private final WeightDevices weightDevices;
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
        this.memory = WeightMemory.ofFile(blueprint, options.rearrangesWeights(), options.mapsWeights());
        this.weightDevices = new WeightDevices(devices, options.schedule().offloadsOps());
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

    /** Places what stays in the file, and returns the rest by the memory it goes to. */
    private Map<Target, List<Tensor>> placeMapped() {
        Map<Target, List<Tensor>> loads = new LinkedHashMap<>();
        for (int part = LayerPlacement.INPUT; part <= blueprint.outputPart(); part++) {
            int number = layers.deviceOf(part);
            for (Tensor weight : blueprint.weights(part)) {
                WeightMemory.Home home = memory.of(weight, part, weightDevices, number);
                if (home.isMapped()) {
                    bytes[number] += weight.byteSize();
                    file.place(weight, blueprint.nameInFile(weight));
                } else {
                    loads.computeIfAbsent(new Target(number, home.type()), _ -> new ArrayList<>())
                            .add(weight);
                }
            }
        }
        return loads;
    }

    private void loadAll(Map<Target, List<Tensor>> loads, LoadListener listener) {
        long all = loads.values().stream()
                .flatMap(List::stream)
                .mapToLong(Tensor::byteSize)
                .sum();
        Progress progress = new Progress(listener, all);
        listener.loaded(0, all);
        loads.forEach((target, tensors) -> {
            Buffer buffer = Allocations.allocateAll(tensors, target.type()).setUsage(BufferUsage.WEIGHTS);
            buffers.add(buffer);
            bytes[target.device()] += buffer.size();
        });
        for (int number = 0; number < devices.size(); number++) {
            int device = number;
            Map<Target, List<Tensor>> own = new LinkedHashMap<>(loads);
            own.keySet().removeIf(target -> target.device() != device);
            load(devices.get(device), own, progress);
        }
        listener.loaded(all, all);
    }

    /** Through a backend, from memory that is fast to exchange with the device, where it works beside the host. */
    private void load(Device device, Map<Target, List<Tensor>> loads, Progress progress) {
        List<Tensor> uploaded = new ArrayList<>();
        loads.forEach((target, tensors) -> {
            if (WeightUpload.serves(device, target.type())) {
                uploaded.addAll(tensors);
            } else {
                load(tensors, progress);
            }
        });
        if (!uploaded.isEmpty()) {
            WeightUpload upload = new WeightUpload(device, file, progress::add);
            uploaded.forEach(tensor -> upload.add(tensor, blueprint.nameInFile(tensor)));
            upload.run();
        }
    }

    /** By several threads into host memory; memory that rearranges its bytes gets them tensor by tensor. */
    private void load(List<Tensor> tensors, Progress progress) {
        if (HostLoad.serves(Buffer.of(tensors.getFirst()))) {
            try (HostLoad load = new HostLoad(file, progress::add)) {
                tensors.forEach(tensor -> load.load(tensor, blueprint.nameInFile(tensor)));
                load.finish();
            }
        } else {
            for (Tensor tensor : tensors) {
                file.load(tensor, blueprint.nameInFile(tensor));
                progress.add(tensor.byteSize());
            }
        }
    }

    /** Adds up the bytes that are loaded. */
    private static final class Progress {

        private final LoadListener listener;
        private final long all;
        private long done;

        Progress(LoadListener listener, long all) {
            this.listener = listener;
            this.all = all;
        }

        void add(long bytes) {
            done += bytes;
            if (bytes > 0 && done < all) {
                listener.loaded(done, all);
            }
        }
    }

    /** The bytes of the weights on a device, those in the mapped file among them. */
    long bytes(int device) {
        return bytes[device];
    }

    /** Gives back the memory that was taken; what is in the file goes with the file. */
    @Override
    public void close() {
        buffers.forEach(Buffer::close);
        buffers.clear();
    }
}
