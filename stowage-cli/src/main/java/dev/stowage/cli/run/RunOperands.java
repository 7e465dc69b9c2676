package dev.stowage.cli.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What to run, and behind which prompt: one word or two, of which a model is known by its ending. */
final class RunOperands {

    private static final String MODEL_SUFFIX = ".gguf";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Parameters(
            arity = "0..*",
            paramLabel = "[MODEL.gguf] PROMPT",
            hideParamSyntax = true,
            description = "The model, and what it writes on behind; - reads that from standard input.")
    private List<String> words = new ArrayList<>();

    /**
     * The model that is named, if one is.
     *
     * @throws ParameterException if the words can be nothing but a prompt without quotes
     */
    Optional<Path> model() {
        if (words.size() > 2) {
            throw refusal("there are " + words.size()
                    + " arguments, but a model and a prompt are all: put quotes around a" + " prompt of several words");
        }
        if (words.isEmpty() || (words.size() == 1 && !isModel(words.getFirst()))) {
            return Optional.empty();
        }
        Path file = Path.of(words.getFirst());
        if (!isModel(words.getFirst()) && !Files.exists(file)) {
            throw refusal("there is no model '" + file + "': put quotes around a prompt of several words");
        }
        return Optional.of(file);
    }

    private static boolean isModel(String word) {
        return word.toLowerCase(Locale.ROOT).endsWith(MODEL_SUFFIX);
    }

    /**
     * The prompt; only a conversation may do without.
     *
     * @throws ParameterException if there is none, or it cannot be had
     */
    Optional<String> prompt(boolean chat, Supplier<BufferedReader> input) {
        boolean named = model().isPresent();
        int place = named ? 1 : 0;
        if (words.size() > place) {
            String prompt = words.get(place);
            return Optional.of(prompt.equals("-") ? readAll(chat, input) : prompt);
        }
        if (!chat) {
            throw refusal(
                    named
                            ? "there is no prompt for " + words.getFirst() + ": give it one, or talk with --chat"
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
