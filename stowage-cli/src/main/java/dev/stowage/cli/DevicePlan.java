package dev.stowage.cli;

import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphAssembly;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferUsage;
import dev.stowage.models.LayerNorms;
import dev.stowage.models.LayerPlacement;
import dev.stowage.models.ModelGraph;
import dev.stowage.schedule.DeviceSet;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.ScheduleRequest;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A model laid over the devices of a machine that exists only on paper: where its parts are, how its graph is
 * scheduled, and what each device then holds.
 *
 * @param layers where the parts of the model are
 * @param schedule who computes what in the largest graph, and what is copied
 * @param loads what each device holds
 */
record DevicePlan(LayerPlacement layers, Schedule schedule, List<DeviceLoad> loads) {
    DevicePlan {
        loads = List.copyOf(loads);
    }

    /**
     * Places weights and caches with their parts, whatever place they had before, and schedules the graph. A weight
     * that is read on several devices gets a copy on each of them, as in llama.cpp, and none of them crosses in a run.
     */
    static DevicePlan of(
            ModelPasses passes,
            ModelLayers parts,
            List<PaperDevice> devices,
            LayerPlacement layers,
            ScheduleOptions options) {
        ModelGraph model = passes.largest();
        Placing placing = new Placing(parts, devices, layers);
        model.weights().forEach(weight -> placing.put(placing.weights, weight, parts.partOf(weight)));
        model.cache().forEach(cache -> placing.put(placing.caches, cache, parts.partOf(cache)));
        Graph graph = placing.withCopies(model.graph());
        List<Buffer> weights = placing.allocate(placing.weights, BufferUsage.WEIGHTS);
        List<Buffer> caches = placing.allocate(placing.caches, BufferUsage.ANY);
        for (int device = 0; device < devices.size(); device++) {
            devices.get(device)
                    .hold(weights.get(device).size() + caches.get(device).size());
        }
        Function<Graph, Schedule> scheduled = each -> Schedule.of(
                new ScheduleRequest(each, DeviceSet.of(devices), options, LayerNorms.assignments(each, layers)));
        Schedule schedule = scheduled.apply(graph);
        List<Schedule> others = passes.others().stream().map(scheduled).toList();
        List<DeviceLoad> loads = new ArrayList<>();
        for (int device = 0; device < devices.size(); device++) {
            loads.add(new DeviceLoad(
                    devices.get(device).spec(),
                    weights.get(device).size(),
                    caches.get(device).size(),
                    mostCompute(device, schedule, others)));
        }
        return new DevicePlan(layers, schedule, loads);
    }

    private static long mostCompute(int device, Schedule schedule, List<Schedule> others) {
        return Stream.concat(Stream.of(schedule), others.stream())
                .mapToLong(each -> each.computeSize(device))
                .max()
                .orElseThrow();
    }

    /** Whether every device has room for what it holds. */
    boolean fits() {
        return loads.stream().allMatch(DeviceLoad::fits);
    }

    /** The bytes by which the memory of all devices together is too small. */
    long missing() {
        return loads.stream().mapToLong(DeviceLoad::missing).reduce(0, Math::addExact);
    }

    /** What goes to which device, until it is given memory there. */
    private static final class Placing {
        private final ModelLayers parts;
        private final List<PaperDevice> devices;
        private final LayerPlacement layers;
        private final List<List<Tensor>> weights = new ArrayList<>();
        private final List<List<Tensor>> caches = new ArrayList<>();

        Placing(ModelLayers parts, List<PaperDevice> devices, LayerPlacement layers) {
            this.parts = parts;
            this.devices = devices;
            this.layers = layers;
            devices.forEach(_ -> {
                weights.add(new ArrayList<>());
                caches.add(new ArrayList<>());
            });
        }

        void put(List<List<Tensor>> byDevice, Tensor tensor, int part) {
            tensor.displace();
            byDevice.get(layers.deviceOf(part)).add(tensor);
        }

        /** The graph, with reads of a weight on another device wired to a copy of it there. */
        Graph withCopies(Graph graph) {
            GraphAssembly assembly = GraphAssembly.over(graph);
            Map<Tensor, Map<Integer, Integer>> copies = new LinkedHashMap<>();
            for (ModelLayers.Foreign read : parts.foreign()) {
                Tensor weight = read.weight();
                int device = layers.deviceOf(read.part());
                if (device != layers.deviceOf(parts.partOf(weight))) {
                    int copy = copies.computeIfAbsent(weight, _ -> new TreeMap<>())
                            .computeIfAbsent(device, _ -> assembly.add(copy(weight, device)));
                    assembly.wire(read.slot(), copy);
                }
            }
            for (int id = 0; id < graph.nodeCount(); id++) {
                assembly.addNode(id);
            }
            for (int id = graph.nodeCount(); id < graph.nodeCount() + graph.leafCount(); id++) {
                assembly.addLeaf(id);
            }
            copies.values().forEach(ofWeight -> ofWeight.values().forEach(assembly::addLeaf));
            return copies.isEmpty() ? graph : assembly.build();
        }

        private Tensor copy(Tensor weight, int device) {
            Tensor copy = Tensor.leaf(weight.layout()).named(weight.name()).asWeight();
            weights.get(device).add(copy);
            return copy;
        }

        /** The buffers need no closing: there is no memory to give back. */
        List<Buffer> allocate(List<List<Tensor>> byDevice, BufferUsage usage) {
            List<Buffer> buffers = new ArrayList<>();
            for (int device = 0; device < devices.size(); device++) {
                Buffer buffer = Allocations.allocateAll(
                        byDevice.get(device), devices.get(device).bufferType());
                buffers.add(buffer.setUsage(usage));
            }
            return buffers;
        }
    }
}
