package dev.stowage.cuda.recording;

import dev.stowage.cuda.driver.CudaException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The objects of a driver by handle. A handle that was given back, or is of another kind, is refused. */
final class Handles {

    /** Loaded code. */
    record Loaded(String what) {}

    /** A captured graph. */
    record Captured(List<FakeStream.Work> work) {}

    /** A captured graph that can be launched. */
    record Executable(List<FakeStream.Work> work) {}

    private static final int INVALID_HANDLE = 400;

    private final Map<Long, Object> objects = new TreeMap<>();
    private final Map<Long, String> names = new HashMap<>();
    private long last = 1000;

    long add(Object object) {
        objects.put(++last, object);
        return last;
    }

    <T> T get(long handle, Class<T> type) {
        return checked(objects.get(handle), handle, type);
    }

    <T> T remove(long handle, Class<T> type) {
        return checked(objects.remove(handle), handle, type);
    }

    private static <T> T checked(@Nullable Object found, long handle, Class<T> type) {
        if (!type.isInstance(found)) {
            throw new CudaException(
                    "handle", INVALID_HANDLE, handle + " is not a " + type.getSimpleName() + " but " + found);
        }
        return type.cast(found);
    }

    <T> List<T> all(Class<T> type) {
        return new ArrayList<>(objects.values().stream()
                .filter(type::isInstance)
                .map(type::cast)
                .toList());
    }

    /** A handle of a kernel, which is never given back. */
    long name(String name) {
        names.put(++last, name);
        return last;
    }

    String nameOf(long handle) {
        return names.getOrDefault(handle, "unknown");
    }

    void clear() {
        objects.clear();
    }

    /** What was not given back, by kind. */
    String leaks() {
        return objects.values().stream()
                .collect(Collectors.groupingBy(
                        object -> object.getClass().getSimpleName(), TreeMap::new, Collectors.counting()))
                .entrySet()
                .stream()
                .map(entry -> entry.getValue() + " " + entry.getKey())
                .collect(Collectors.joining(", "));
    }
}
