package dev.stowage.cpu;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** A process of its own with the classes of this module on its class path, and with no other options than are given. */
final class JavaProcess implements AutoCloseable {

    /** After which a process is taken for hung; no property of what runs in it. */
    static final long HUNG_AFTER_MINUTES = 5;

    private final Process process;
    private final Path output;

    private JavaProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /** Starts a main class of the tests. */
    static JavaProcess start(List<String> options, Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.add("-cp");
        command.add(classPath(main));
        command.add(main.getName());
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile("stowage", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command);
        // Options that are meant for the process of the tests must not reach this one.
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        builder.environment().remove("JDK_JAVA_OPTIONS");
        Process process = builder.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        return new JavaProcess(process, output);
    }

    private static String classPath(Class<?> main) {
        return String.join(
                System.getProperty("path.separator"),
                home(main),
                home(CpuProvider.class),
                home(dev.stowage.device.Device.class),
                home(dev.stowage.reference.ReferenceProvider.class),
                home(dev.stowage.testkit.simulated.SimulatedDevice.class));
    }

    /** The folder or jar that a class was loaded from. */
    private static String home(Class<?> type) {
        String path = type.getName().replace('.', '/') + ".class";
        URL url = Objects.requireNonNull(type.getResource("/" + path), path);
        String location = url.toString();
        location = location.substring(0, location.length() - path.length());
        if (location.startsWith("jar:")) {
            location = location.substring("jar:".length(), location.lastIndexOf('!'));
        }
        return Path.of(URI.create(location)).toString();
    }

    /** Waits for the end of the process, which must be a good one, and gives the lines it wrote. */
    List<String> lines() throws IOException, InterruptedException {
        return lines(HUNG_AFTER_MINUTES);
    }

    /** As {@link #lines()}, of a process that has more to do and is taken for hung after so many minutes. */
    List<String> lines(long hungAfterMinutes) throws IOException, InterruptedException {
        boolean ended = process.waitFor(hungAfterMinutes, TimeUnit.MINUTES);
        String text = Files.readString(output, StandardCharsets.UTF_8);
        if (!ended || process.exitValue() != 0) {
            throw new AssertionError((ended ? "exit code " + process.exitValue() : "no end") + "; it wrote:\n" + text);
        }
        return text.lines().toList();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        Files.delete(output);
    }
}
