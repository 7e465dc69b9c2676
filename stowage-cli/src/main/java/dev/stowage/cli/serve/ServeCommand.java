package dev.stowage.cli.serve;

import dev.stowage.cli.option.CountConverter;
import dev.stowage.cli.option.EmbeddedModel;
import dev.stowage.cli.option.LoadProgress;
import dev.stowage.cli.option.ModelFile;
import dev.stowage.cli.option.ModelRunOptions;
import dev.stowage.cli.option.SamplingArguments;
import dev.stowage.cli.option.TimeSpanConverter;
import dev.stowage.cli.text.Progress;
import dev.stowage.error.AllocationException;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.chat.ChatTemplate;
import dev.stowage.llm.engine.Pooling;
import dev.stowage.llm.fit.DevicePlan;
import dev.stowage.serve.ServeOptions;
import dev.stowage.serve.StowageServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.BindException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Serves a language model over HTTP until it is stopped. */
@Command(
        name = "serve",
        description = {
            "Serve a language model over HTTP: the interface of OpenAI for programs, and a page to talk to it at /.",
            "Several requests are worked on at once, in memory that is planned and taken before the first. Without a model"
                    + " the embedded one is served, which writes dictionary entries. Runs until Ctrl-C or SIGTERM, which lets"
                    + " running requests end."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  stowage serve",
            "  stowage serve nomic-embed-text.gguf",
            "  stowage serve model.gguf --slots 8 --ctx 16384",
            "  stowage serve model.gguf --host 0.0.0.0 --port 9000 --api-key SECRET",
            "  curl http://127.0.0.1:8080/v1/completions -d '{\"prompt\": \"harbor, n.\", \"max_tokens\": 20}'"
        })
public final class ServeCommand implements Callable<Integer> {

    private static final int DEFAULT_SLOTS = 4;

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "MODEL.gguf", description = "The model. Default: the embedded model.")
    private @Nullable String file;

    @Option(
            names = {"--slots", "-np", "--parallel"},
            paramLabel = "N",
            converter = CountConverter.class,
            description = "How many requests are worked on at once; they share the context. Default: ${DEFAULT-VALUE}.")
    private int slots = DEFAULT_SLOTS;

    @Option(
            names = "--queue",
            paramLabel = "N",
            converter = CountConverter.OrZero.class,
            description = "How many more requests may wait; others are refused. Default: ${DEFAULT-VALUE}.")
    private int queue = 256;

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            description = "The address to listen on. Default: ${DEFAULT-VALUE}, which only this machine reaches.")
    private String host = "127.0.0.1";

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "The port; 0 for a free one. Default: ${DEFAULT-VALUE}.")
    private int port = 8080;

    @Option(
            names = "--api-key",
            split = ",",
            paramLabel = "KEY",
            description = "Keys, one of which clients must send. Default: none is needed.")
    private List<String> keys = new ArrayList<>();

    @Option(
            names = "--cors",
            split = ",",
            paramLabel = "ORIGIN",
            description = "Origins whose web pages may use the server, such as https://example.org; * for all. Default:"
                    + " pages of this machine.")
    private List<String> origins = new ArrayList<>();

    @Option(
            names = {"--alias", "-a"},
            paramLabel = "NAME",
            description = "What clients see as the name of the model. Default: the one in its file.")
    private @Nullable String alias;

    @Option(
            names = {"--template", "--chat-template"},
            paramLabel = "NAME",
            completionCandidates = Templates.class,
            description =
                    "The chat template: ${COMPLETION-CANDIDATES}. Default: the one of the model, and raw if it has none.")
    private @Nullable String template;

    @Option(
            names = "--pooling",
            paramLabel = "KIND",
            description =
                    "How a text becomes a vector: ${COMPLETION-CANDIDATES}. Default: as the file of the model says, and"
                            + " else MEAN.")
    private @Nullable Pooling pooling;

    @Option(
            names = "--time-limit",
            paramLabel = "TIME",
            converter = TimeSpanConverter.class,
            description = "How long a request may take, such as 90s. Default: 30m.")
    private Duration timeLimit = Duration.ofMinutes(30);

    @Option(
            names = "--stop-time",
            paramLabel = "TIME",
            converter = TimeSpanConverter.class,
            description = "How long running requests may go on when the server is stopped. Default: 10s.")
    private Duration stopTime = Duration.ofSeconds(10);

    @Mixin
    private SamplingArguments sampling;

    @Mixin
    private ModelRunOptions engine;

    /** The names of templates, for completion. */
    static final class Templates extends ArrayList<String> {
        Templates() {
            super(ChatTemplate.labels());
        }
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Optional<Path> model = model();
        ServeOptions serving = serving(model.isEmpty());
        ModelOptions options = engine.options(model.isEmpty()).withSequences(slots);
        options = options.context() == 0 ? options.withContext(ModelOptions.DEFAULT_CONTEXT) : options;
        PlanReport plan = new PlanReport(out());
        try (LanguageModel opened = open(model, options, plan);
                StowageServer server = StowageServer.start(opened, serving.withPlan(plan.plan()))) {
            plan.printTaken(opened, server.engine());
            warn(serving);
            StopSignals stop = StopSignals.install();
            out().println("serving "
                    + serving.name().orElseGet(() -> opened.metadata().text("general.name", "model")) + " at "
                    + server.address()
                    + remark(opened));
            out().flush();
            stop.await();
            err().println("stopping: running requests get " + stopTime.toSeconds() + " s, the next signal ends them");
            err().flush();
            stop.then(server::close);
            server.close(stopTime);
        } catch (BindException | UnknownHostException e) {
            throw new ParameterException(
                    spec.commandLine(),
                    host + ":" + port + " cannot be listened on: " + e.getMessage() + "; try another --port or --host");
        }
        return ExitCode.OK;
    }

    private static String remark(LanguageModel model) {
        return model.blueprint().shape().isEncoder()
                ? ", an embedding model: POST /v1/embeddings makes vectors of texts of up to " + model.context()
                        + " tokens"
                : "";
    }

    private Optional<Path> model() {
        Optional<Path> named = engine.model();
        if (file != null && named.isPresent()) {
            throw new ParameterException(spec.commandLine(), "the model is named twice: as an argument and with -m");
        }
        return file == null ? named : Optional.of(ModelFile.of(file));
    }

    private ServeOptions serving(boolean embedded) {
        if (template != null && !ChatTemplate.labels().contains(template)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "there is no template '" + template + "'; there are " + String.join(", ", ChatTemplate.labels()));
        }
        if (port < 0 || port > 65535) {
            throw new ParameterException(spec.commandLine(), "--port must be from 0 to 65535, not " + port);
        }
        ServeOptions options = ServeOptions.defaults()
                .withHost(host)
                .withPort(port)
                .withKeys(keys)
                .withOrigins(origins)
                .withSampling(sampling.options(embedded))
                .withTimeLimit(timeLimit)
                .withEngine(ServeOptions.defaults().engine().withQueueLimit(queue));
        options = alias == null ? options : options.withName(alias);
        options = pooling == null ? options : options.withPooling(pooling);
        return template == null
                ? options
                : options.withTemplate(ChatTemplate.recognise(template).orElseThrow());
    }

    private LanguageModel open(Optional<Path> model, ModelOptions options, PlanReport plan) {
        Progress progress = Progress.onTerminal(err());
        LoadListener listener = new LoadListener() {
            @Override
            public void placed(Supplier<DevicePlan> found) {
                plan.print(model.map(Path::toString).orElse(EmbeddedModel.NAME), found.get(), options);
            }

            @Override
            public void loaded(long done, long all) {}
        };
        try {
            return engine.open(model, options, new LoadProgress(progress, listener));
        } catch (AllocationException e) {
            throw model.flatMap(path -> FittingOptions.advice(path, options))
                    .map(advice -> new AllocationException(
                            e.getMessage() + ". What would fit: " + advice,
                            e.bufferType(),
                            e.requestedBytes(),
                            e.availableBytes(),
                            e))
                    .orElse(e);
        } finally {
            progress.clear();
        }
    }

    private void warn(ServeOptions options) throws UnknownHostException {
        if (!InetAddress.getByName(options.host()).isLoopbackAddress()
                && options.keys().isEmpty()) {
            out().println("Whoever reaches " + options.host() + " can use this model: --api-key asks for a key.");
        }
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
