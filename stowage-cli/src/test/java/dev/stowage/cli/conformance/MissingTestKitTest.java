package dev.stowage.cli.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The test kit is optional: without it only the commands that need it fail, and say what to add. */
class MissingTestKitTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... args) throws Exception {
        URL[] rest = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !entry.contains("stowage-testkit"))
                .map(MissingTestKitTest::url)
                .toArray(URL[]::new);
        try (URLClassLoader loader = new URLClassLoader(rest, ClassLoader.getPlatformClassLoader())) {
            Class<?> root = loader.loadClass("dev.stowage.cli.StowageCommand");
            Class<?> commandLine = loader.loadClass("picocli.CommandLine");
            Method make = root.getDeclaredMethod("commandLine", String[].class);
            make.setAccessible(true);
            Object command = make.invoke(null, (Object) new String[0]);
            commandLine.getMethod("setOut", PrintWriter.class).invoke(command, new PrintWriter(out));
            commandLine.getMethod("setErr", PrintWriter.class).invoke(command, new PrintWriter(err));
            return (int) commandLine.getMethod("execute", String[].class).invoke(command, (Object) args);
        }
    }

    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException(entry, e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"alloc", "sched", "backend"})
    void whatNeedsItSaysWhatToAdd(String command) throws Exception {
        assertThat(run("conformance", command, "reference")).isEqualTo(1);
        assertThat(err.toString())
                .contains("'stowage conformance " + command + "' needs the test kit", "dev.stowage:stowage-testkit");
    }

    @Test
    void helpAndCompletionDoWithoutIt() throws Exception {
        assertThat(run("conformance", "alloc", "--help")).isZero();
        assertThat(run("completion")).isZero();
        assertThat(out.toString()).contains("recorded case");
        assertThat(err.toString()).isEmpty();
    }
}
