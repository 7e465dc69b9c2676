package dev.stowage.bench.ggml.schedule;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.stowage.bench.ggml.NoOpLibrary;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/**
 * Reads the calls that the no-op devices recorded, in the format of {@link dev.stowage.testkit.simulated.Call}, so
 * that it can be compared with what devices of ours recorded.
 */
final class NoOpTrace {

    static final int COMPUTE = 0;
    static final int NODE = 1;
    static final int COPY_ASYNC = 2;
    static final int SET = 3;
    static final int GET = 4;
    static final int SYNC = 5;
    static final int EVENT_RECORD = 6;
    static final int EVENT_WAIT = 7;
    static final int EVENT_SYNC = 8;

    private final MemorySegment entries;
    private final List<NoOpRules> devices;
    private final LongFunction<String> names;
    private final List<String> lines = new ArrayList<>();

    private NoOpTrace(MemorySegment entries, List<NoOpRules> devices, LongFunction<String> names) {
        this.entries = entries;
        this.devices = devices;
        this.names = names;
    }

    /** The kinds of all recorded calls. */
    static List<Integer> kinds(NoOpLibrary library) {
        return library.entries()
                .elements(NoOpLibrary.ENTRY)
                .map(entry -> entry.get(JAVA_INT, 0))
                .toList();
    }

    /** All recorded calls, a line each; {@code names} says how the tensor at an address is called. */
    static List<String> lines(NoOpLibrary library, List<NoOpRules> devices, LongFunction<String> names) {
        NoOpTrace trace = new NoOpTrace(library.entries(), devices, names);
        trace.read();
        return trace.lines;
    }

    private void read() {
        long count = entries.byteSize() / NoOpLibrary.ENTRY.byteSize();
        for (long index = 0; index < count; index++) {
            MemorySegment entry = entry(index);
            if (kind(entry) == COMPUTE) {
                List<String> nodes = new ArrayList<>();
                while (index + 1 < count && kind(entry(index + 1)) == NODE) {
                    nodes.add(tensor(entry(++index), "one"));
                }
                lines.add("compute(" + device(entry) + ",[" + String.join(",", nodes) + "])");
            } else {
                lines.add(line(entry));
            }
        }
    }

    private String line(MemorySegment entry) {
        return switch (kind(entry)) {
            case COPY_ASYNC -> "copy_async(" + tensor(entry, "one") + "," + tensor(entry, "other") + ")";
            case SET -> "set(" + tensor(entry, "one") + ")";
            case GET -> "get(" + tensor(entry, "one") + ")";
            case SYNC -> "sync(" + device(entry) + ")";
            case EVENT_RECORD -> "event_record(" + event(entry) + "," + device(entry) + ")";
            case EVENT_WAIT -> "event_wait(" + device(entry) + "," + event(entry) + ")";
            case EVENT_SYNC -> "event_sync(" + event(entry) + ")";
            default -> throw new IllegalStateException("no call of kind " + kind(entry));
        };
    }

    private MemorySegment entry(long index) {
        return entries.asSlice(index * NoOpLibrary.ENTRY.byteSize(), NoOpLibrary.ENTRY.byteSize());
    }

    private static int kind(MemorySegment entry) {
        return field(entry, "kind");
    }

    private String device(MemorySegment entry) {
        return devices.get(field(entry, "device")).name();
    }

    private String event(MemorySegment entry) {
        return devices.get(field(entry, "event_device")).name() + "#" + field(entry, "event");
    }

    private static int field(MemorySegment entry, String name) {
        return entry.get(JAVA_INT, NoOpLibrary.ENTRY.byteOffset(MemoryLayout.PathElement.groupElement(name)));
    }

    private String tensor(MemorySegment entry, String field) {
        long offset = NoOpLibrary.ENTRY.byteOffset(MemoryLayout.PathElement.groupElement(field));
        return names.apply(entry.get(ADDRESS, offset).address());
    }
}
