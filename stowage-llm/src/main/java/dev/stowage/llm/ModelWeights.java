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
import java.util.function.LongConsumer;

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
    private final boolean mapsFile;
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
        this.mapsFile = options.mapsWeights();
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
        listener.loaded(0, all);
        loads.forEach((target, tensors) -> {
            Buffer buffer = Allocations.allocateAll(tensors, target.type()).setUsage(BufferUsage.WEIGHTS);
            buffers.add(buffer);
            bytes[target.device()] += buffer.size();
        });
        DeviceLoads byDevice = new DeviceLoads();
        for (int number = 0; number < devices.size(); number++) {
            int device = number;
            Map<Target, List<Tensor>> own = new LinkedHashMap<>(loads);
            own.keySet().removeIf(target -> target.device() != device);
            if (!own.isEmpty()) {
                byDevice.add(arrived -> load(devices.get(device), own, arrived));
            }
        }
        Progress progress = new Progress(listener, all);
        byDevice.run(progress::add);
        listener.loaded(all, all);
    }

    /** Through a backend where the device works beside the host: from memory that it exchanges fast, or from the file. */
    private void load(Device device, Map<Target, List<Tensor>> loads, LongConsumer arrived) {
        List<Tensor> uploaded = new ArrayList<>();
        List<Tensor> sent = new ArrayList<>();
        loads.forEach((target, tensors) -> {
            if (WeightUpload.serves(device, target.type())) {
                uploaded.addAll(tensors);
            } else if (mapsFile && DirectUpload.serves(device, target.type())) {
                sent.addAll(tensors);
            } else {
                load(tensors, arrived);
            }
        });
        if (!uploaded.isEmpty()) {
            WeightUpload upload = new WeightUpload(device, file, arrived);
            uploaded.forEach(tensor -> upload.add(tensor, blueprint.nameInFile(tensor)));
            upload.run();
        }
        if (!sent.isEmpty()) {
            DirectUpload upload = new DirectUpload(device, file, arrived);
            sent.forEach(tensor -> upload.add(tensor, blueprint.nameInFile(tensor)));
            upload.run();
        }
    }

    /** By several threads into host memory; memory that rearranges its bytes gets them tensor by tensor. */
    private void load(List<Tensor> tensors, LongConsumer arrived) {
        if (HostLoad.serves(Buffer.of(tensors.getFirst()))) {
            try (HostLoad load = new HostLoad(file, arrived)) {
                tensors.forEach(tensor -> load.load(tensor, blueprint.nameInFile(tensor)));
                load.finish();
            }
        } else {
            for (Tensor tensor : tensors) {
                file.load(tensor, blueprint.nameInFile(tensor));
                arrived.accept(tensor.byteSize());
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
