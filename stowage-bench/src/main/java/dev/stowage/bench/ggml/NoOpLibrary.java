package dev.stowage.bench.ggml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.stowage.error.MalformedDataException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The devices for ggml that do nothing, which are written in C: the source comes with these classes, is compiled when
 * it is first needed, and stays loaded.
 */
public final class NoOpLibrary {

    private static final String SOURCE = "noop-devices.c";

    /** One recorded call; the C source declares the same struct. */
    public static final StructLayout ENTRY = MemoryLayout.structLayout(
            JAVA_INT.withName("kind"),
            JAVA_INT.withName("device"),
            JAVA_INT.withName("event_device"),
            JAVA_INT.withName("event"),
            ADDRESS.withName("one"),
            ADDRESS.withName("other"));

    private final MethodHandle newType;
    private final MethodHandle freeType;
    private final MethodHandle newDevice;
    private final MethodHandle freeDevice;
    private final MethodHandle open;
    private final MethodHandle record;
    private final MethodHandle entryCount;
    private final MethodHandle entries;
    private final MethodHandle save;
    private final MethodHandle restore;

    private NoOpLibrary(NativeLibrary made, GgmlFunctions functions) {
        newType = made.function("noop_new_type", ADDRESS, ADDRESS, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_BOOLEAN);
        freeType = made.function("noop_free_type", null, ADDRESS);
        newDevice = made.function(
                "noop_new_device",
                ADDRESS,
                ADDRESS,
                JAVA_INT,
                JAVA_INT,
                ADDRESS,
                JAVA_BOOLEAN,
                JAVA_BOOLEAN,
                ADDRESS,
                ADDRESS,
                ADDRESS);
        freeDevice = made.function("noop_free_device", null, ADDRESS);
        open = made.function("noop_open", ADDRESS, ADDRESS);
        record = made.function("noop_record", null, JAVA_BOOLEAN);
        entryCount = made.function("noop_entry_count", JAVA_LONG);
        entries = made.function("noop_entries", ADDRESS);
        save = made.function("noop_save", null, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS);
        restore = made.function("noop_restore", null, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS);
        MethodHandle init = made.function("noop_init", null, ADDRESS, JAVA_LONG);
        try {
            init.invokeExact(functions.library().address("ggml_backend_buffer_init"), GgmlTensor.OP);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /**
     * Compiles and loads the devices.
     *
     * @throws MalformedDataException if there is no C compiler, or it refuses the source
     */
    static NoOpLibrary compile(GgmlFunctions functions) {
        Path folder = null;
        try (InputStream source = NoOpLibrary.class.getResourceAsStream(SOURCE)) {
            folder = Files.createTempDirectory("stowage-noop");
            Files.copy(Objects.requireNonNull(source), folder.resolve(SOURCE));
            Path library = folder.resolve("noop-devices.so");
            compile(folder.resolve(SOURCE), library);
            // The file can go once it is loaded: the system keeps what is mapped.
            return new NoOpLibrary(new NativeLibrary(library, Arena.global()), functions);
        } catch (IOException e) {
            throw new MalformedDataException("the devices that do nothing could not be compiled: " + e, e);
        } finally {
            delete(folder);
        }
    }

    private static void compile(Path source, Path library) throws IOException {
        String compiler = "cc";
        Process process;
        try {
            process = new ProcessBuilder(
                            compiler, "-O2", "-shared", "-fPIC", "-o", library.toString(), source.toString())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            throw new MalformedDataException(
                    "ggml's scheduler needs devices that are written in C, and there is no C compiler '" + compiler
                            + "' to compile them: install one, such as gcc or clang",
                    e);
        }
        try {
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new MalformedDataException("the C compiler refuses " + SOURCE + ": " + said);
            }
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for " + compiler, e);
        }
    }

    private static void delete(@Nullable Path folder) {
        if (folder == null) {
            return;
        }
        try {
            for (Path file : List.of(folder.resolve(SOURCE), folder.resolve("noop-devices.so"), folder)) {
                Files.deleteIfExists(file);
            }
        } catch (IOException _) {
            // A few kilobytes remain in the folder for temporary files.
        }
    }

    public MemorySegment newType(String name, int number, long alignment, long largest, boolean isHost) {
        try (Arena arena = Arena.ofConfined()) {
            return (MemorySegment) newType.invokeExact(arena.allocateFrom(name), number, alignment, largest, isHost);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public void freeType(MemorySegment type) {
        try {
            freeType.invokeExact(type);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** A device; the three arrays have a byte for every op, op and kind of memory, which is not 0 for yes. */
    public MemorySegment newDevice(
            String name,
            int number,
            int kind,
            MemorySegment type,
            boolean copiesAsync,
            boolean hasEvents,
            MemorySegment runs,
            MemorySegment offloads,
            MemorySegment reads) {
        try (Arena arena = Arena.ofConfined()) {
            return (MemorySegment) newDevice.invokeExact(
                    arena.allocateFrom(name), number, kind, type, copiesAsync, hasEvents, runs, offloads, reads);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    public void freeDevice(MemorySegment device) {
        try {
            freeDevice.invokeExact(device);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** A backend of a device. */
    public MemorySegment open(MemorySegment device) {
        try {
            return (MemorySegment) open.invokeExact(device);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** Starts or stops taking down calls, with an empty record. */
    public void record(boolean on) {
        try {
            record.invokeExact(on);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** The recorded calls, as an array of {@link #ENTRY}; valid until the next call is. */
    @SuppressWarnings("restricted")
    public MemorySegment entries() {
        try {
            long count = (long) entryCount.invokeExact();
            return ((MemorySegment) entries.invokeExact()).reinterpret(count * ENTRY.byteSize());
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** Copies as many bytes of every tensor to memory of the caller's. */
    public void save(MemorySegment tensors, long count, long bytes, MemorySegment saved) {
        try {
            save.invokeExact(tensors, count, bytes, saved);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }

    /** Copies them back. */
    public void restore(MemorySegment tensors, long count, long bytes, MemorySegment saved) {
        try {
            restore.invokeExact(tensors, count, bytes, saved);
        } catch (Throwable e) {
            throw NativeLibrary.wronglyBound(e);
        }
    }
}
