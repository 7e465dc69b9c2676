package dev.stowage.cuda.compile;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** NVIDIA's compiler for kernels as a library. It needs no GPU. */
@SuppressWarnings("restricted") // it calls native code
final class Nvrtc implements AutoCloseable {

    /** What a file is compiled to: machine code, and the PTX it was made from. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Code(byte[] cubin, String ptx) {}

    private static final Linker LINKER = Linker.nativeLinker();

    private final Arena arena = Arena.ofShared();
    private final SymbolLookup library;

    private Nvrtc(Path folder) throws java.io.IOException {
        // The library asks for its built-in functions by name, and finds them if they are loaded already.
        SymbolLookup.libraryLookup(find(folder, "libnvrtc-builtins.so"), arena);
        this.library = SymbolLookup.libraryLookup(find(folder, "libnvrtc.so"), arena);
    }

    /** The library in a folder. */
    static Nvrtc in(Path folder) throws java.io.IOException {
        return new Nvrtc(folder);
    }

    private static Path find(Path folder, String prefix) throws java.io.IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .findFirst()
                    .orElseThrow(() -> new java.io.IOException(folder + " has no " + prefix));
        }
    }

    /** Its version, such as {@code 12.9}. */
    String version() {
        try (Arena scope = Arena.ofConfined()) {
            MemorySegment numbers = scope.allocate(JAVA_INT, 2);
            call("nvrtcVersion", numbers, numbers.asSlice(4));
            return numbers.getAtIndex(JAVA_INT, 0) + "." + numbers.getAtIndex(JAVA_INT, 1);
        }
    }

    /**
     * Compiles one source file for an architecture such as {@code sm_80}.
     *
     * @throws IllegalArgumentException with the compiler's messages if the source has errors
     */
    Code compile(Path source, String text, Path includes, String architecture) {
        try (Arena scope = Arena.ofConfined()) {
            MemorySegment program = scope.allocate(ADDRESS);
            call(
                    "nvrtcCreateProgram",
                    program,
                    scope.allocateFrom(text),
                    scope.allocateFrom(source.getFileName().toString()),
                    0,
                    MemorySegment.NULL,
                    MemorySegment.NULL);
            MemorySegment handle = program.get(ADDRESS, 0);
            try {
                List<String> options =
                        List.of("--gpu-architecture=" + architecture, "--std=c++17", "--include-path=" + includes);
                MemorySegment array = scope.allocate(ADDRESS, options.size());
                for (int i = 0; i < options.size(); i++) {
                    array.setAtIndex(ADDRESS, i, scope.allocateFrom(options.get(i)));
                }
                int code = result("nvrtcCompileProgram", handle, options.size(), array);
                String log = new String(output(scope, "nvrtcGetProgramLog", handle), StandardCharsets.UTF_8)
                        .replace("\0", "")
                        .strip();
                if (code != 0) {
                    throw new IllegalArgumentException(source + " for " + architecture + ":\n" + log);
                }
                if (!log.isEmpty()) {
                    System.err.println(source.getFileName() + " for " + architecture + ": " + log);
                }
                String ptx =
                        new String(output(scope, "nvrtcGetPTX", handle), StandardCharsets.US_ASCII).replace("\0", "");
                return new Code(output(scope, "nvrtcGetCUBIN", handle), ptx);
            } finally {
                call("nvrtcDestroyProgram", program);
            }
        }
    }

    private byte[] output(Arena scope, String getter, MemorySegment program) {
        MemorySegment size = scope.allocate(JAVA_LONG);
        call(getter + "Size", program, size);
        MemorySegment bytes = scope.allocate(Math.max(1, size.get(JAVA_LONG, 0)));
        call(getter, program, bytes);
        return bytes.asSlice(0, size.get(JAVA_LONG, 0)).toArray(JAVA_BYTE);
    }

    private void call(String function, Object... arguments) {
        int code = result(function, arguments);
        if (code != 0) {
            throw new IllegalStateException(function + " failed with error " + code);
        }
    }

    private int result(String function, Object... arguments) {
        var layouts = Stream.of(arguments)
                .map(argument -> argument instanceof Integer ? JAVA_INT : ADDRESS)
                .toArray(java.lang.foreign.MemoryLayout[]::new);
        MethodHandle handle =
                LINKER.downcallHandle(library.find(function).orElseThrow(), FunctionDescriptor.of(JAVA_INT, layouts));
        try {
            return (int) handle.invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new IllegalStateException(function, e);
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
