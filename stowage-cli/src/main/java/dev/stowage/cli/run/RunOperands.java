package dev.stowage.cli.run;

import dev.stowage.cli.option.ModelFile;
import dev.stowage.cli.text.StandardInput;
import dev.stowage.error.MalformedDataException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * What {@code stowage run} is given to work with: a model and a prompt, both optional. They are operands, or options as in
 * llama.cpp; a prompt may also come from a file or from standard input.
 */
final class RunOperands {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Parameters(
            arity = "0..*",
            paramLabel = "[MODEL.gguf] PROMPT",
            hideParamSyntax = true,
            description = "The model, and the prompt that it continues; - reads the prompt from standard input, as does"
                    + " leaving it out where that is a pipe or a file.")
    private List<String> operands = new ArrayList<>();

    @Option(
            names = {"-p", "--prompt"},
            paramLabel = "TEXT",
            description = "The prompt.")
    private @Nullable String text;

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description = "Read the prompt from this file, without the end of its last line.")
    private @Nullable Path file;

    /** Whether the prompt is given by an option, so that an operand can only be the model. */
    private boolean isPromptOption() {
        return text != null || file != null;
    }

    /**
     * The model that is named, if one is.
     *
     * @param option the model that is named by an option
     * @throws ParameterException if the operands can only be a prompt without quotes
     */
    Optional<Path> model(Optional<Path> option) {
        int most = (option.isPresent() ? 0 : 1) + (isPromptOption() ? 0 : 1);
        if (operands.size() > most) {
            throw refusal("there are " + operands.size() + " arguments, but "
                    + (most == 2
                            ? "a model and a prompt are all"
                            : most == 1
                                    ? "with these options there can be only "
                                            + (option.isPresent() ? "a prompt" : "a model")
                                    : "model and prompt are given by options")
                    + ": put quotes around a prompt of several words");
        }
        if (option.isPresent() || operands.isEmpty()) {
            return option;
        }
        String first = operands.getFirst();
        if (operands.size() == 1 && !isPromptOption()) {
            return ModelFile.find(first);
        }
        Path model = ModelFile.of(first);
        if (ModelFile.find(first).isEmpty() && !Files.exists(model)) {
            throw refusal("there is no model '" + model + "'"
                    + (isPromptOption() ? "" : ": put quotes around a prompt of several words"));
        }
        return Optional.of(model);
    }

    /**
     * The prompt; only a conversation may do without.
     *
     * @param option the model that is named by an option
     * @throws ParameterException if there is none, or more than one
     */
    Optional<String> prompt(Optional<Path> option, boolean chat, StandardInput input) {
        Optional<Path> model = model(option);
        int place = model.isPresent() && option.isEmpty() ? 1 : 0;
        Optional<String> operand = operands.size() > place ? Optional.of(operands.get(place)) : Optional.empty();
        if (text != null && file != null) {
            throw refusal("-p and -f exclude each other: both give the prompt");
        }
        if (text != null) {
            return Optional.of(text);
        }
        if (file != null) {
            return Optional.of(read(file));
        }
        if (operand.isPresent() && !operand.get().equals("-")) {
            return operand;
        }
        if (chat) {
            if (operand.isPresent()) {
                throw refusal(
                        "--chat reads what is said from standard input, so the prompt cannot come from there too");
            }
            return Optional.empty();
        }
        if (operand.isEmpty() && !input.isPiped()) {
            throw noPrompt(model);
        }
        String read = withoutLastEnd(input.readAll());
        if (read.isEmpty() && operand.isEmpty()) {
            throw noPrompt(model);
        }
        return Optional.of(read);
    }

    private ParameterException noPrompt(Optional<Path> model) {
        return refusal(model.map(path -> "there is no prompt for " + path + ": give it one, or talk with --chat")
                .orElse("there is no prompt: give one in quotes, or talk with --chat"));
    }

    private static String read(Path file) {
        try {
            return withoutLastEnd(Files.readString(file));
        } catch (CharacterCodingException e) {
            throw new MalformedDataException(
                    file + " is not text in UTF-8, so it cannot be a prompt: save it as such", e);
        } catch (NoSuchFileException | AccessDeniedException e) {
            throw new UncheckedIOException(e);
        } catch (IOException e) {
            String reason = Files.isDirectory(file) ? "it is a directory" : e.getMessage();
            throw new MalformedDataException(file + " cannot be read: " + reason, e);
        }
    }

    private static String withoutLastEnd(String text) {
        String line = text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
        return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
    }

    private ParameterException refusal(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
