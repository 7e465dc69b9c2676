package dev.stowage.bench.ggml.schedule;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.stowage.bench.ggml.GgmlLibrary;
import dev.stowage.bench.ggml.GgmlTensor;
import dev.stowage.device.DeviceType;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.tensor.Op;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Devices inside ggml that do nothing, with a backend each, and the kinds of memory they have; none of it holds memory.
 * Close them after every scheduler and mirror that uses them. Belongs to one thread.
 */
public final class GgmlNoOpDevices implements AutoCloseable {

    private static final int MOST_OPS = 256;
    private static final int MOST_TYPES = 64;
    private static final long CHECKED_OP_ROOM = 1 << 12;

    private final GgmlLibrary library;
    private final List<NoOpRules> rules;
    private final Map<String, MemorySegment> types = new LinkedHashMap<>();
    private final List<MemorySegment> devices = new ArrayList<>();
    private final List<MemorySegment> backends = new ArrayList<>();
    private boolean closed;

    private GgmlNoOpDevices(GgmlLibrary library, List<NoOpRules> rules) {
        this.library = library;
        this.rules = List.copyOf(rules);
        for (NoOpRules device : rules) {
            types.computeIfAbsent(device.memory().name(), _ -> newType(device));
        }
        for (NoOpRules device : rules) {
            MemorySegment made = newDevice(device);
            devices.add(made);
            backends.add(library.noOps().open(made));
        }
    }

    /**
     * Devices with those rules. Memory of the same name is the same memory.
     *
     * @throws InvalidPlanException if the last device is not a CPU, which ggml insists on
     */
    public static GgmlNoOpDevices of(GgmlLibrary library, List<NoOpRules> rules) {
        if (rules.isEmpty() || rules.getLast().type() != DeviceType.CPU) {
            throw new InvalidPlanException("the last of ggml's devices has to be a CPU: " + rules);
        }
        GgmlNoOpDevices devices = new GgmlNoOpDevices(library, rules);
        devices.check();
        return devices;
    }

    private MemorySegment newType(NoOpRules device) {
        var memory = device.memory();
        return library.noOps()
                .newType(memory.name(), types.size(), memory.alignment(), memory.maxBufferSize(), memory.isHost());
    }

    private MemorySegment newDevice(NoOpRules device) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment reads = arena.allocate(MOST_TYPES);
            int number = 0;
            for (String type : types.keySet()) {
                reads.set(JAVA_BYTE, number++, flag(device.readable().contains(type)));
            }
            return library.noOps()
                    .newDevice(
                            device.name(),
                            devices.size(),
                            kind(device.type()),
                            type(device.memory().name()),
                            device.copiesAsync(),
                            device.hasEvents(),
                            ops(arena, device::runs),
                            ops(arena, device.offloaded()::contains),
                            reads);
        }
    }

    private MemorySegment ops(Arena arena, Predicate<Op> chosen) {
        MemorySegment table = arena.allocate(MOST_OPS);
        for (Op op : Op.values()) {
            if (library.ops().has(op)) {
                table.set(JAVA_BYTE, library.ops().code(op), flag(chosen.test(op)));
            }
        }
        return table;
    }

    private static byte flag(boolean value) {
        return (byte) (value ? 1 : 0);
    }

    /** ggml's number for a kind of device. */
    static int kind(DeviceType type) {
        return switch (type) {
            case CPU -> 0;
            case GPU -> 1;
            case INTEGRATED_GPU -> 2;
            case ACCELERATOR -> 3;
        };
    }

    /** Has ggml call the devices, and compares its answers with the rules: the structs may be those of another ggml. */
    private void check() {
        MemorySegment context = library.functions().newContext(CHECKED_OP_ROOM);
        try {
            GgmlTensor node = library.functions().newTensor(context, 0, 1);
            for (int device = 0; device < rules.size(); device++) {
                NoOpCheck.check(library, rules.get(device), backends.get(device), types, node);
            }
        } finally {
            library.functions().freeContext(context);
        }
    }

    GgmlLibrary library() {
        return library;
    }

    /** The rules of the devices, in order. */
    public List<NoOpRules> rules() {
        return rules;
    }

    /** ggml's handles of the backends, in order. */
    List<MemorySegment> backends() {
        return backends;
    }

    /** ggml's handle of a kind of memory. */
    MemorySegment type(String name) {
        MemorySegment type = types.get(name);
        if (type == null) {
            throw new InvalidPlanException("none of the devices has memory called '" + name + "': " + types.keySet());
        }
        return type;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            backends.forEach(library.backends()::close);
            devices.forEach(library.noOps()::freeDevice);
            types.values().forEach(library.noOps()::freeType);
        }
    }
}
