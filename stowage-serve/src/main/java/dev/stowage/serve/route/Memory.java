package dev.stowage.serve.route;

import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.fit.DeviceLoad;
import dev.stowage.serve.wire.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The memory of a model on each device: what it takes, and what was planned. */
final class Memory {

    private Memory() {}

    static List<Object> json(Served served) {
        LanguageModel model = served.model();
        List<Object> devices = new ArrayList<>();
        for (int device = 0; device < model.devices().size(); device++) {
            var used = Json.object(
                    "device",
                    model.devices().get(device).name(),
                    "weights",
                    model.weightBytes(device),
                    "cache",
                    served.engine().cacheBytes(device),
                    "compute",
                    served.engine().computeBytes(device));
            planned(served, device)
                    .ifPresent(load -> used.put(
                            "planned",
                            Json.object("weights", load.weights(), "cache", load.cache(), "compute", load.compute())));
            devices.add(used);
        }
        return devices;
    }

    /** A plan has its devices in the order of the model's. */
    private static Optional<DeviceLoad> planned(Served served, int device) {
        return served.plan()
                .filter(plan -> device < plan.loads().size())
                .map(plan -> plan.loads().get(device));
    }
}
