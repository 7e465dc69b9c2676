package dev.stowage.llm.fit;

import dev.stowage.device.Device;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.BufferUsage;
import dev.stowage.models.LayerMap;
import dev.stowage.models.LayerPlacement;
import dev.stowage.models.ModelGraph;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The weights and caches of a model with the devices of their layers, counted to the byte and given planned buffers. */
final class StoredTensors {

    private final ModelPasses passes;
    private final List<Device> devices;
    private final WeightDevices weightDevices;
    private final LayerPlacement layers;
    private final LayerMap map;
    private final long[] weightBytes;
    private final long[] cacheBytes;
    private final List<Map<BufferType, List<Tensor>>> loaded = new ArrayList<>();

    /**
     * @param offloads whether ops may run on another device than that of their weights
     */
    StoredTensors(ModelPasses passes, List<DeviceBudget> budgets, LayerPlacement layers, boolean offloads) {
        ModelGraph model = passes.largest();
        this.passes = passes;
        this.devices = budgets.stream().map(DeviceBudget::device).toList();
        this.weightDevices = new WeightDevices(devices, offloads);
        this.layers = layers;
        this.map = model.layers();
        this.weightBytes = new long[devices.size()];
        this.cacheBytes = new long[devices.size()];
        devices.forEach(_ -> loaded.add(new LinkedHashMap<>()));
        for (Tensor weight : model.weights()) {
            int part = map.partOf(weight);
            storeWeight(weight, part, layers.deviceOf(part));
        }
        loadWeights();
        storeCaches(model.cache());
    }

    long weightBytes(int device) {
        return weightBytes[device];
    }

    long cacheBytes(int device) {
        return cacheBytes[device];
    }

    private void storeWeight(Tensor weight, int part, int device) {
        WeightMemory.Home home = passes.memory().of(weight, part, weightDevices, device);
        if (home.isMapped()) {
            weightBytes[device] = sum(weightBytes[device], weight.byteSize(), device);
            PlannedBuffer.place(weight, home.type(), BufferUsage.WEIGHTS);
        } else {
            loaded.get(device)
                    .computeIfAbsent(home.type(), _ -> new ArrayList<>())
                    .add(weight);
        }
    }

    private void loadWeights() {
        for (int device = 0; device < devices.size(); device++) {
            for (Map.Entry<BufferType, List<Tensor>> ofType : loaded.get(device).entrySet()) {
                long bytes = place(ofType.getValue(), ofType.getKey(), BufferUsage.WEIGHTS);
                weightBytes[device] = sum(weightBytes[device], bytes, device);
            }
        }
    }

    private void storeCaches(List<Tensor> caches) {
        List<List<Tensor>> byDevice = new ArrayList<>();
        devices.forEach(_ -> byDevice.add(new ArrayList<>()));
        caches.forEach(cache -> byDevice.get(layers.deviceOf(map.partOf(cache))).add(cache));
        for (int device = 0; device < devices.size(); device++) {
            cacheBytes[device] = place(byDevice.get(device), devices.get(device).bufferType(), BufferUsage.ANY);
        }
    }

    private long sum(long some, long more, int device) {
        try {
            return Math.addExact(some, more);
        } catch (ArithmeticException _) {
            throw new InvalidPlanException(
                    "the weights on " + devices.get(device).name() + " have more bytes than can be counted");
        }
    }

    /** Places tensors and returns the bytes that allocating them takes. */
    private static long place(List<Tensor> tensors, BufferType type, BufferUsage usage) {
        long bytes = Allocations.sizeOf(tensors, type);
        tensors.forEach(tensor -> PlannedBuffer.place(tensor, type, usage));
        return bytes;
    }
}
