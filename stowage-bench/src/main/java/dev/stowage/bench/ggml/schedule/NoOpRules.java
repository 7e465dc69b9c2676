package dev.stowage.bench.ggml.schedule;

import dev.stowage.device.DeviceType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.Op;
import java.util.Set;

/**
 * What a device claims to be able to do, without doing any of it: the same rules for a device of ours and for one of
 * ggml's. Ops without an op code are always supported.
 *
 * @param name a name no other device of the set has
 * @param type what kind of device it is; the last one of a set has to be a CPU
 * @param memory the kind of memory that holds its results
 * @param supported the ops it computes
 * @param offloaded the ops it wants although their weights are on the host
 * @param readable the names of the kinds of memory it reads
 * @param copiesAsync whether it takes on copies with other devices that do too
 * @param hasEvents whether it makes events
 */
public record NoOpRules(
        String name,
        DeviceType type,
        MeasuringBufferType memory,
        Set<Op> supported,
        Set<Op> offloaded,
        Set<String> readable,
        boolean copiesAsync,
        boolean hasEvents) {

    public NoOpRules {
        supported = Set.copyOf(supported);
        offloaded = Set.copyOf(offloaded);
        readable = Set.copyOf(readable);
    }

    boolean runs(Op op) {
        return op == Op.NONE || supported.contains(op);
    }

    @Override
    public String toString() {
        return name + "(in " + memory.name() + (memory.isHost() ? " (host)" : "") + ", reads " + readable
                + (copiesAsync ? ", async" : "") + (hasEvents ? ", events" : "") + ")";
    }
}
