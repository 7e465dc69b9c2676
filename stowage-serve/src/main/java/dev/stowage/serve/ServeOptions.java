package dev.stowage.serve;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.llm.chat.ChatTemplate;
import dev.stowage.llm.engine.EngineOptions;
import dev.stowage.llm.engine.Pooling;
import dev.stowage.llm.fit.DevicePlan;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.serve.http.HttpLimits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * How a model is served. {@link #defaults()} is for this machine alone, without a key; the {@code with} methods change one
 * thing each.
 */
public final class ServeOptions {

    private static final int LARGEST_PORT = 65535;

    private static final ServeOptions DEFAULTS = new ServeOptions(new Values());

    private static final class Values implements Cloneable {
        private String host = "127.0.0.1";
        private int port = 8080;
        private List<String> keys = List.of();
        private List<String> origins = List.of();
        private Optional<String> name = Optional.empty();
        private SamplingOptions sampling = SamplingOptions.defaults();
        private Optional<ChatTemplate> template = Optional.empty();
        private Optional<Pooling> pooling = Optional.empty();
        private EngineOptions engine = EngineOptions.defaults();
        private Duration timeLimit = Duration.ofMinutes(30);
        private Duration idle = HttpLimits.defaults().idle();
        private int connections = 512;
        private int bodyBytes = 8 << 20;
        private Optional<DevicePlan> plan = Optional.empty();

        private Values copy() {
            try {
                return (Values) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private final Values values;

    private ServeOptions(Values values) {
        this.values = values;
    }

    /** Port 8080 of this machine, no key, the model's own chat template, an engine with its defaults. */
    public static ServeOptions defaults() {
        return DEFAULTS;
    }

    private ServeOptions with(Consumer<Values> change) {
        Values changed = values.copy();
        change.accept(changed);
        return new ServeOptions(changed);
    }

    private static void require(boolean holds, String what, Object value, String rule) {
        if (!holds) {
            throw new InvalidPlanException(what + " must be " + rule + ", not " + value);
        }
    }

    /** Listens on an address of this machine; {@code 0.0.0.0} for all. */
    public ServeOptions withHost(String changed) {
        return with(copy -> copy.host = changed);
    }

    /** Listens on a port; 0 for a free one. */
    public ServeOptions withPort(int changed) {
        require(changed >= 0 && changed <= LARGEST_PORT, "the port", changed, "from 0 to " + LARGEST_PORT);
        return with(copy -> copy.port = changed);
    }

    /** Takes only requests with one of these keys, as {@code Authorization: Bearer KEY}. */
    public ServeOptions withKeys(List<String> changed) {
        require(changed.stream().noneMatch(String::isBlank), "a key", "blank", "some characters");
        return with(copy -> copy.keys = List.copyOf(changed));
    }

    /** Lets pages of these origins use the server, such as {@code https://example.org}; {@code *} stands for all. */
    public ServeOptions withOrigins(List<String> changed) {
        return with(copy -> copy.origins = List.copyOf(changed));
    }

    /** Calls the model so. */
    public ServeOptions withName(String changed) {
        return with(copy -> copy.name = Optional.of(changed));
    }

    /** Chooses tokens that way where a request does not say how; with a seed of 0 every request gets another one. */
    public ServeOptions withSampling(SamplingOptions changed) {
        return with(copy -> copy.sampling = changed);
    }

    /** Puts chats into this form in place of the model's own. */
    public ServeOptions withTemplate(ChatTemplate changed) {
        return with(copy -> copy.template = Optional.of(changed));
    }

    /** Makes vectors of texts that way in place of the one that the file of the model names. */
    public ServeOptions withPooling(Pooling changed) {
        return with(copy -> copy.pooling = Optional.of(changed));
    }

    /** Shares the model among requests that way. */
    public ServeOptions withEngine(EngineOptions changed) {
        return with(copy -> copy.engine = changed);
    }

    /** Ends texts that take longer, from the request on. */
    public ServeOptions withTimeLimit(Duration changed) {
        require(changed.isPositive(), "the time limit", changed, "more than 0");
        return with(copy -> copy.timeLimit = changed);
    }

    /** Closes connections over which nothing comes, or can be sent, for so long. */
    public ServeOptions withIdle(Duration changed) {
        require(changed.isPositive(), "the idle time", changed, "more than 0");
        return with(copy -> copy.idle = changed);
    }

    /** Has at most so many connections at once. */
    public ServeOptions withConnections(int changed) {
        require(changed >= 1, "the number of connections", changed, "at least 1");
        return with(copy -> copy.connections = changed);
    }

    /** Takes bodies of at most so many bytes. */
    public ServeOptions withBodyBytes(int changed) {
        require(changed >= 1 && changed < 1 << 30, "the length of a body", changed, "from 1 to 1 GiB");
        return with(copy -> copy.bodyBytes = changed);
    }

    /** Shows the plan that the model was opened with. */
    public ServeOptions withPlan(DevicePlan changed) {
        return with(copy -> copy.plan = Optional.of(changed));
    }

    public String host() {
        return values.host;
    }

    public int port() {
        return values.port;
    }

    public List<String> keys() {
        return values.keys;
    }

    public List<String> origins() {
        return values.origins;
    }

    /** What the model is called; empty for what its file says. */
    public Optional<String> name() {
        return values.name;
    }

    public SamplingOptions sampling() {
        return values.sampling;
    }

    /** The form of chats; empty for the model's own. */
    public Optional<ChatTemplate> template() {
        return values.template;
    }

    /** How vectors of texts are made; empty for what the file of the model says, or else the mean. */
    public Optional<Pooling> pooling() {
        return values.pooling;
    }

    public EngineOptions engine() {
        return values.engine;
    }

    public Duration timeLimit() {
        return values.timeLimit;
    }

    public Duration idle() {
        return values.idle;
    }

    public int connections() {
        return values.connections;
    }

    public int bodyBytes() {
        return values.bodyBytes;
    }

    public Optional<DevicePlan> plan() {
        return values.plan;
    }
}
