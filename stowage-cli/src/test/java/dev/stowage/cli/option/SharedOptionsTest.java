package dev.stowage.cli.option;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.StowageCommand;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** An option means the same in every command that has it. */
class SharedOptionsTest {

    private static List<OptionSpec> declarations(String name) {
        List<OptionSpec> found = new ArrayList<>();
        collect(StowageCommand.commandLine(), name, found);
        return found;
    }

    private static void collect(CommandLine command, String name, List<OptionSpec> found) {
        OptionSpec option = command.getCommandSpec().findOption(name);
        if (option != null) {
            found.add(option);
        }
        command.getSubcommands().values().forEach(each -> collect(each, name, found));
    }

    @ParameterizedTest
    @CsvSource({"--ctx, 2", "--batch, 3", "--cache-type, 3", "--no-flash, 3", "--planner, 2", "--layers-on, 2"})
    void hasTheSameNamesHelpAndDefault(String name, int leastCommands) {
        List<OptionSpec> declarations = declarations(name).stream()
                .filter(option -> !option.command().name().equals("pack")) // whose planners pack buffers
                .toList();

        assertThat(declarations).hasSizeGreaterThanOrEqualTo(leastCommands);
        OptionSpec first = declarations.getFirst();
        assertThat(declarations).allSatisfy(option -> {
            assertThat(option.names()).isEqualTo(first.names());
            assertThat(option.description()).isEqualTo(first.description());
            assertThat(option.defaultValue()).isEqualTo(first.defaultValue());
            assertThat(option.paramLabel()).isEqualTo(first.paramLabel());
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"--tokens", "--context"})
    void aFormerNameIsHidden(String name) {
        assertThat(declarations(name))
                .isNotEmpty()
                .allSatisfy(option -> assertThat(option.hidden()).isTrue());
    }
}
