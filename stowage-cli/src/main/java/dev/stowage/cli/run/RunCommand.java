package dev.stowage.cli.run;

import dev.stowage.cli.option.CountConverter;
import dev.stowage.cli.option.EmbeddedModel;
import dev.stowage.cli.option.LoadProgress;
import dev.stowage.cli.option.ModelRunOptions;
import dev.stowage.cli.option.SamplingArguments;
import dev.stowage.cli.text.CountText;
import dev.stowage.cli.text.CtrlC;
import dev.stowage.cli.text.LiveProgress;
import dev.stowage.cli.text.Progress;
import dev.stowage.cli.text.StandardInput;
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
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
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
            "  stowage run -m model.gguf -f prompt.txt -ngl 99 -c 8192",
            "  git diff | stowage run model.gguf --system \"Review this change.\""
        })
public final class RunCommand implements Runnable {

    private final StandardInput input;

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-n", "--predict", "--n-predict", "--generate"},
            paramLabel = "N",
            converter = CountConverter.OrEndless.class,
            description =
                    "Generate at most so many tokens; -1 for no limit. Default: until the model ends the text or the"
                            + " context is full.")
    private @Nullable Integer generated;

    @Option(names = "--tokens", paramLabel = "N", hidden = true, converter = CountConverter.class)
    private @Nullable Integer formerGenerated;

    @Option(
            names = {"-cnv", "--chat", "--conversation"},
            description = "Interactive chat: read a line, answer, and keep both in the context. Ctrl-C stops an answer,"
                    + " Ctrl-D ends.")
    private boolean chat;

    @Option(
            names = {"-sys", "--system", "--system-prompt"},
            paramLabel = "TEXT",
            description = "The system message, which instructs the model before the prompt.")
    private @Nullable String system;

    @Option(
            names = {"--template", "--chat-template"},
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
    private ModelRunOptions engine;

    @Mixin
    private ProfilingArguments recording;

    /** The names of templates, for completion. */
    static final class Templates extends ArrayList<String> {
        Templates() {
            super(ChatTemplate.labels());
        }
    }

    /** Shows a remark between what is typed. */
    private volatile Consumer<String> remark = _ -> {};

    private final LoadTime loading = new LoadTime(System::nanoTime);

    RunCommand() {
        this(StandardInput.ofProcess());
    }

    RunCommand(StandardInput input) {
        this.input = input;
    }

    @Override
    public void run() {
        long start = System.nanoTime();
        check();
        Optional<Path> file = operands.model(engine.model());
        boolean embedded = file.isEmpty();
        Optional<String> prompt = operands.prompt(engine.model(), chat, input);
        TokenPrinter text = new TokenPrinter(json ? new PrintWriter(Writer.nullWriter()) : out());
        Interrupt interrupt =
                new Interrupt(() -> remark.accept("(Ctrl-C again or Ctrl-D ends)"), () -> System.exit(CtrlC.EXIT_CODE));
        ModelOptions options = recording.attach(engine.options(embedded));
        // Only a prompt that is being read is given up; of a text that has begun, what there is stays.
        options = options.withBackend(options.backend().withAbort(() -> interrupt.isRaised() && !text.hasBegun()));
        GenerationOptions generation = GenerationOptions.defaults()
                .withSampling(sampling.options(embedded))
                .withMaxTokens(maxTokens())
                .withStop(text::isClosed);
        try (LanguageModel model = open(file, options)) {
            model.requireText();
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

    private LanguageModel open(Optional<Path> file, ModelOptions options) {
        Progress progress = Progress.onTerminal(err());
        try {
            return engine.open(file, options, new LoadProgress(progress, loading));
        } finally {
            progress.clear();
        }
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
            Generation written;
            try (LiveProgress reading = reading(CountText.of(read.length, "token"))) {
                text.before(reading::close);
                written = model.generate(session, read, generation, text);
            }
            report.add(written);
            if (json) {
                String name = operands.model(engine.model()).map(Path::toString).orElse(EmbeddedModel.NAME);
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
        try (Conversation conversation = new Conversation(model, chosen);
                ChatLines lines = lines()) {
            remark = lines::remark;
            recording.attach(conversation.session());
            RunReport report = new RunReport(model, conversation.session(), loading);
            new ChatLoop(
                            conversation,
                            Optional.ofNullable(system),
                            generation,
                            interrupt,
                            text,
                            () -> reading("what was said"),
                            err())
                    .run(opening, lines, report);
            err().println(report.line());
            err().flush();
        }
    }

    /** Nothing is printed before a prompt has been read, which may take a while. */
    private LiveProgress reading(String what) {
        return new LiveProgress(
                        Progress.onTerminal(err()), elapsed -> "reading " + what + ", " + elapsed.toSeconds() + " s")
                .start();
    }

    private ChatLines lines() {
        return (input.isPiped() ? Optional.<ChatLines>empty() : EditedLines.ofProcess())
                .orElseGet(() -> ChatLines.plain(input.reader(), err()));
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
