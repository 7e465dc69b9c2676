package dev.stowage.cpu.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every instruction is encoded as GNU's assembler encodes it, with random registers, memory, masks and distances. Where
 * binutils is not installed, digests of what it made are compared instead ({@link RecordedEncodings}).
 */
class EncodingTest {

    /** Methods of the assembler that are no instructions. */
    private static final Set<String> OTHERS = Set.of("bind", "size", "toBytes");

    @Test
    void everyInstructionIsEncodedAsGnusAssemblerEncodesIt(@TempDir Path folder)
            throws IOException, InterruptedException {
        assertThat(GnuAssembler.isInstalled() || System.getenv("CI") == null)
                .as("as, objcopy and objdump are installed where changes are checked: install binutils")
                .isTrue();
        assumeThat(GnuAssembler.isInstalled()).isTrue();
        List<RandomInstructions> all = RandomInstructions.all();
        byte[] expected = GnuAssembler.assemble(
                all.stream().flatMap(form -> form.lines().stream()).toList(), folder);

        int at = 0;
        for (RandomInstructions form : all) {
            for (int i = 0; i < form.lines().size(); i++) {
                byte[] code = form.codes().get(i);
                byte[] theirs = Arrays.copyOfRange(expected, at, Math.min(expected.length, at + code.length));
                if (!Arrays.equals(code, theirs)) {
                    assertThat(HexFormat.of().formatHex(code))
                            .as(
                                    "%s%nof which objdump makes%n%s",
                                    form.lines().get(i), GnuAssembler.disassemble(code, folder))
                            .isEqualTo(HexFormat.of().formatHex(theirs));
                }
                at += code.length;
            }
        }
        assertThat(at).isEqualTo(expected.length);
    }

    @Test
    void everyInstructionIsEncodedAsRecorded() throws IOException {
        assertThat(RecordedEncodings.now())
                .as("encodings differ from those recorded: run EncodingTest with binutils, then RecordedEncodings.main")
                .isEqualTo(RecordedEncodings.recorded());
    }

    @Test
    void everyInstructionIsCompared() {
        Set<String> methods = Arrays.stream(Assembler.class.getMethods())
                .filter(method -> method.getDeclaringClass() != Object.class)
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .map(Method::getName)
                .filter(name -> !OTHERS.contains(name))
                .collect(Collectors.toSet());
        assertThat(InstructionForms.ALL.stream().map(InstructionForm::name).collect(Collectors.toSet()))
                .isEqualTo(methods);
    }
}
