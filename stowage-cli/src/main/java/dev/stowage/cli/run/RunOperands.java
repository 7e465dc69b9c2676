package dev.stowage.cli.run;

import dev.stowage.cli.option.GgufFileName;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The operands of {@code stowage run}: a model, recognised by its suffix, and a prompt; both are optional. */
final class RunOperands {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Parameters(
            arity = "0..*",
            paramLabel = "[MODEL.gguf] PROMPT",
            hideParamSyntax = true,
            description = "The model, and the prompt that it continues; - reads the prompt from standard input.")
    private List<String> operands = new ArrayList<>();

    /**
     * The model that is named, if one is.
     *
     * @throws ParameterException if the operands can only be a prompt without quotes
     */
    Optional<Path> model() {
        if (operands.size() > 2) {
            throw refusal("there are " + operands.size()
                    + " arguments, but a model and a prompt are all: put quotes around a" + " prompt of several words");
        }
        if (operands.isEmpty() || (operands.size() == 1 && !GgufFileName.matches(operands.getFirst()))) {
            return Optional.empty();
        }
        Path file = Path.of(operands.getFirst());
        if (!GgufFileName.matches(operands.getFirst()) && !Files.exists(file)) {
            throw refusal("there is no model '" + file + "': put quotes around a prompt of several words");
        }
        return Optional.of(file);
    }

    /**
     * The prompt; only a conversation may do without.
     *
     * @throws ParameterException if there is none, or it cannot be had
     */
    Optional<String> prompt(boolean chat, Supplier<BufferedReader> input) {
        boolean named = model().isPresent();
        int place = named ? 1 : 0;
        if (operands.size() > place) {
            String prompt = operands.get(place);
            return Optional.of(prompt.equals("-") ? readAll(chat, input) : prompt);
        }
        if (!chat) {
            throw refusal(
                    named
                            ? "there is no prompt for " + operands.getFirst() + ": give it one, or talk with --chat"
                            : "there is no prompt: give one in quotes, or talk with --chat");
        }
        return Optional.empty();
    }

    private String readAll(boolean chat, Supplier<BufferedReader> input) {
        if (chat) {
            throw refusal("--chat reads what is said from standard input, so the prompt cannot come from there too");
        }
        try (BufferedReader in = input.get()) {
            String all = in.readAllAsString();
            return all.endsWith("\n") ? all.substring(0, all.length() - 1) : all;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ParameterException refusal(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
