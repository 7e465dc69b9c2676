package dev.stowage.cli.run;

import dev.stowage.cli.option.CountConverter;
import dev.stowage.cli.text.ByteSize;
import dev.stowage.cli.text.Progress;
import dev.stowage.error.MalformedDataException;
import dev.stowage.gguf.Printable;
import dev.stowage.llm.Conversation;
import dev.stowage.llm.Generation;
import dev.stowage.llm.GenerationOptions;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.Session;
import dev.stowage.llm.chat.ChatMessage;
import dev.stowage.llm.chat.ChatTemplate;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs a language model: continues a prompt, or holds a conversation. */
@Command(
        name = "run",
        description = {
            "Run a language model: print the continuation of a prompt as it is generated.",
            "Without a model the embedded one runs, which writes dictionary entries: give it a headword and a part of"
                    + " speech. It runs on one thread and always takes the most likely token, unless a sampling option is given."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  stowage run \"harbor, n.\"                     a dictionary entry by the embedded model",
            "  stowage run \"harbor, n.\" --seed 7            another one",
            "  stowage run model.gguf \"Once upon a time\" -n 100",
            "  stowage run model.gguf --chat --system \"Answer briefly.\"",
            "  stowage run model.gguf - <prompt.txt --profile"
        })
public final class RunCommand implements Runnable {

    private static final int INTERRUPTED = 130;

    private final Supplier<InputStream> input;

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-n", "--generate"},
            paramLabel = "N",
            converter = CountConverter.class,
            description = "Generate at most so many tokens. Default: until the model ends the text or the context is"
                    + " full.")
    private @Nullable Integer generated;

    @Option(names = "--tokens", paramLabel = "N", hidden = true, converter = CountConverter.class)
    private @Nullable Integer formerGenerated;

    @Option(
            names = "--chat",
            description =
                    "Hold a conversation: read a line, answer, and keep both in the context. Ctrl-C stops an answer, Ctrl-D ends.")
    private boolean chat;

    @Option(
            names = "--system",
            paramLabel = "TEXT",
            description = "The system message, which instructs the model before the prompt.")
    private @Nullable String system;

    @Option(
            names = "--template",
            paramLabel = "NAME",
            completionCandidates = Templates.class,
            description =
                    "The chat template: ${COMPLETION-CANDIDATES}. Default: the one of the model, and raw if it has none.")
    private @Nullable String template;

    @Option(names = "--raw", description = "Leave the prompt as it is; the same as --template raw.")
    private boolean raw;

    @Option(names = "--json", description = "Print one JSON object with the text, speeds and memory, when all is done.")
    private boolean json;

    @Mixin
    private RunOperands operands;

    @Mixin
    private SamplingArguments sampling;

    @Mixin
    private EngineArguments engine;

    @Mixin
    private ProfilingArguments recording;

    /** The names of templates, for completion. */
    static final class Templates extends ArrayList<String> {
        Templates() {
            super(ChatTemplate.labels());
        }
    }

    private final LoadTime loading = new LoadTime(System::nanoTime);

    RunCommand() {
        this(() -> System.in);
    }

    RunCommand(Supplier<InputStream> input) {
        this.input = input;
    }

    @Override
    public void run() {
        long start = System.nanoTime();
        check();
        Optional<Path> file = operands.model();
        boolean embedded = file.isEmpty();
        Optional<String> prompt = operands.prompt(chat, this::reader);
        TokenPrinter text = new TokenPrinter(json ? new PrintWriter(Writer.nullWriter()) : out());
        Interrupt interrupt = new Interrupt(this::hint, () -> System.exit(INTERRUPTED));
        ModelOptions options = recording.attach(engine.options(embedded));
        // Only a prompt that is being read is given up; of a text that has begun, what there is stays.
        options = options.withBackend(options.backend().withAbort(() -> interrupt.isRaised() && !text.hasBegun()));
        GenerationOptions generation = GenerationOptions.defaults()
                .withSampling(sampling.options(embedded))
                .withMaxTokens(maxTokens())
                .withStop(text::isClosed);
        try (LanguageModel model = open(file.orElseGet(EmbeddedModel::file), options)) {
            ChatTemplate chosen = template(model);
            if (chat) {
                interrupt.install();
                talk(model, chosen, prompt, generation, interrupt, text);
            } else {
                List<ChatMessage> messages = new ArrayList<>();
                Optional.ofNullable(system).map(ChatMessage::system).ifPresent(messages::add);
                prompt.map(ChatMessage::user).ifPresent(messages::add);
                int[] read = TemplateAdvice.advising(() -> chosen.render(messages, true))
                        .encode(model.tokenizer());
                write(model, read, generation, text, start);
            }
            recording.publish(err());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int maxTokens() {
        if (generated != null) {
            return generated;
        }
        return formerGenerated != null ? formerGenerated : GenerationOptions.UNLIMITED;
    }

    /** Refuses what does not go together. */
    private void check() {
        if (chat && json) {
            throw refusal("--json is for a single text: leave out --chat");
        }
        if (raw && template != null) {
            throw refusal("--raw and --template exclude each other");
        }
        if (template != null && !ChatTemplate.labels().contains(template)) {
            throw refusal(
                    "there is no template '" + template + "'; there are " + String.join(", ", ChatTemplate.labels()));
        }
    }

    private BufferedReader reader() {
        Charset charset = Charset.forName(System.getProperty("stdin.encoding", "UTF-8"));
        return new BufferedReader(new InputStreamReader(input.get(), charset));
    }

    private LanguageModel open(Path file, ModelOptions options) {
        Progress progress = Progress.onTerminal(err());
        try {
            return LanguageModel.open(file, options, (done, all) -> {
                loading.loaded(done, all);
                progress.show(loading(done, all));
            });
        } finally {
            progress.clear();
        }
    }

    /** How far loading is, in one line. */
    static String loading(long done, long all) {
        return String.format(
                Locale.ROOT,
                "loading, %d %%, %s of %s",
                all == 0 ? 100 : Math.round(100.0 * done / all),
                ByteSize.format(done),
                ByteSize.format(all));
    }

    private ChatTemplate template(LanguageModel model) {
        if (raw) {
            return ChatTemplate.raw();
        }
        if (template != null) {
            return ChatTemplate.recognise(template).orElseThrow();
        }
        try {
            return model.chatTemplate().orElse(ChatTemplate.raw());
        } catch (MalformedDataException e) {
            err().println("stowage: the chat template of this model cannot be used, so the prompt is used as it is;"
                    + " --template selects another (" + Printable.of(String.valueOf(e.getMessage())) + ")");
            err().flush();
            return ChatTemplate.raw();
        }
    }

    private void write(LanguageModel model, int[] read, GenerationOptions generation, TokenPrinter text, long start) {
        try (Session session = model.newSession()) {
            long loaded = System.nanoTime();
            recording.attach(session);
            RunReport report = new RunReport(model, session, loading);
            Generation written = model.generate(session, read, generation, text);
            report.add(written);
            if (json) {
                String name = operands.model().map(Path::toString).orElse(EmbeddedModel.NAME);
                report.printJson(Printable.of(name), loaded - start, Math.max(0, text.firstNanos() - start), out());
                return;
            }
            text.end(written);
            boolean full = written.end() == Generation.End.CONTEXT_FULL;
            err().println(report.line()
                    + (full ? "; the context of " + session.context() + " tokens is full: --ctx makes it larger" : ""));
            err().flush();
        }
    }

    private void talk(
            LanguageModel model,
            ChatTemplate chosen,
            Optional<String> opening,
            GenerationOptions generation,
            Interrupt interrupt,
            TokenPrinter text)
            throws IOException {
        try (Conversation conversation = new Conversation(model, chosen)) {
            recording.attach(conversation.session());
            RunReport report = new RunReport(model, conversation.session(), loading);
            new ChatLoop(conversation, Optional.ofNullable(system), generation, interrupt, text, err())
                    .run(opening, reader(), report);
            err().println(report.line());
            err().flush();
        }
    }

    private void hint() {
        err().print(System.lineSeparator() + "(Ctrl-C again or Ctrl-D ends)" + System.lineSeparator()
                + ChatLoop.MARKER);
        err().flush();
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }

    private ParameterException refusal(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
