package dev.stowage.cuda.op.elementwise;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Numbers that kernels and Java code must agree on. */
class KernelConstantsTest {

    private static final Path KERNELS = Path.of("src/main/cuda");

    @Test
    void functionsHaveTheNumbersOfTheKernel() throws IOException {
        Matcher list = find("enum MapFunction \\{(.*?)}", "unary.cu");
        List<String> names = Arrays.stream(list.group(1).split(",", -1))
                .map(name -> name.strip().substring("MAP_".length()))
                .toList();
        assertThat(names).hasSize(MapFunction.values().length);
        for (MapFunction function : MapFunction.values()) {
            assertThat(names.get(function.code())).isEqualTo(function.name());
        }
    }

    private static Matcher find(String pattern, String file) throws IOException {
        Matcher matcher = Pattern.compile(pattern, Pattern.DOTALL).matcher(Files.readString(KERNELS.resolve(file)));
        assertThat(matcher.find()).as(pattern).isTrue();
        return matcher;
    }
}
