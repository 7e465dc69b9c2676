package dev.stowage.serve.route;

import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.chat.ChatTemplate;
import dev.stowage.llm.engine.Engine;
import dev.stowage.llm.engine.Pooling;
import dev.stowage.llm.fit.DevicePlan;
import dev.stowage.llm.sampling.SamplingOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What the routes answer with.
 *
 * @param engine runs the requests
 * @param name what the model is called
 * @param sampling how tokens are chosen where a request does not say
 * @param template puts chats into the form that the model knows
 * @param pooling how states become the vector of a text
 * @param timeLimit how long a request may take
 * @param plan what memory was planned, where that is known
 * @param started when the server was started
 * @param grammars the grammars of requests
 */
public record Served(
        Engine engine,
        String name,
        SamplingOptions sampling,
        ChatTemplate template,
        Pooling pooling,
        Duration timeLimit,
        Optional<DevicePlan> plan,
        Instant started,
        Grammars grammars) {

    LanguageModel model() {
        return engine.model();
    }
}
