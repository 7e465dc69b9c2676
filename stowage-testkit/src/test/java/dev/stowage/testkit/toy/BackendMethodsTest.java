package dev.stowage.testkit.toy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Backend;
import dev.stowage.device.BackendProvider;
import dev.stowage.device.Device;
import dev.stowage.device.Event;
import dev.stowage.device.PreparedGraph;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The guide to writing a backend names every method that a backend writes or may replace, and no others. */
class BackendMethodsTest {

    private static final Path GUIDE = Path.of("..", "docs", "writing-a-backend.md");

    /** A call in code font, such as {@code `doSet(tensor, offset, source)`}. */
    private static final Pattern METHOD = Pattern.compile("`(\\w+)\\(");

    static List<Class<?>> types() {
        return List.of(
                BackendProvider.class,
                Device.class,
                Backend.class,
                BufferType.class,
                Buffer.class,
                PreparedGraph.class,
                Event.class);
    }

    @ParameterizedTest
    @MethodSource("types")
    void theGuideNamesEveryMethodOf(Class<?> type) throws IOException {
        String section = section(type.getSimpleName());

        assertThat(type.getDeclaredMethods())
                .filteredOn(method -> isReplaceable(method) && !isOfObject(method))
                .isNotEmpty()
                .extracting(Method::getName)
                .allSatisfy(name -> assertThat(section).contains("`" + name + "("));
    }

    @ParameterizedTest
    @MethodSource("types")
    void theGuideNamesNoOtherMethodsAsOnesOf(Class<?> type) throws IOException {
        List<String> named = section(type.getSimpleName())
                .lines()
                .filter(line -> line.startsWith("|"))
                .flatMap(row -> METHOD.matcher(row.split("\\|", 3)[1]).results())
                .map(method -> method.group(1))
                .toList();

        assertThat(named).isNotEmpty();
        assertThat(type.getDeclaredMethods())
                .filteredOn(BackendMethodsTest::isReplaceable)
                .extracting(Method::getName)
                .containsAll(named);
    }

    private static String section(String type) throws IOException {
        String heading = "### `" + type + "`\n";
        String guide = Files.readString(GUIDE);
        assertThat(guide).contains(heading);
        int start = guide.indexOf(heading) + heading.length();
        int end = guide.indexOf("\n#", start);
        return guide.substring(start, end < 0 ? guide.length() : end);
    }

    private static boolean isReplaceable(Method method) {
        int modifiers = method.getModifiers();
        boolean isVisible = Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
        return isVisible && !Modifier.isFinal(modifiers) && !Modifier.isStatic(modifiers) && !method.isSynthetic();
    }

    private static boolean isOfObject(Method method) {
        return Arrays.stream(Object.class.getMethods())
                .anyMatch(inherited -> inherited.getName().equals(method.getName())
                        && Arrays.equals(inherited.getParameterTypes(), method.getParameterTypes()));
    }
}
