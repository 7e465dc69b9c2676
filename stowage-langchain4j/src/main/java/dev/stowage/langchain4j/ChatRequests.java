package dev.stowage.langchain4j;

import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.exception.UnsupportedFeatureException;
import dev.langchain4j.internal.ChatRequestValidationUtils;
import dev.langchain4j.internal.Json;
import dev.langchain4j.internal.JsonSchemaElementUtils;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ChatRequestParameters;
import dev.langchain4j.model.chat.request.ResponseFormat;
import dev.langchain4j.model.chat.request.ResponseFormatType;
import dev.langchain4j.model.chat.request.ToolChoice;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import dev.langchain4j.model.chat.request.json.JsonRawSchema;
import dev.langchain4j.model.chat.request.json.JsonSchemaElement;
import dev.stowage.error.MalformedDataException;
import dev.stowage.error.StowageException;
import dev.stowage.llm.chat.ChatMessage;
import dev.stowage.llm.chat.ChatPrompt;
import dev.stowage.llm.chat.ChatTemplate;
import dev.stowage.llm.chat.Tool;
import dev.stowage.llm.chat.ToolFormat;
import dev.stowage.llm.engine.CompletionRequest;
import dev.stowage.llm.grammar.Grammar;
import dev.stowage.llm.sampling.SamplingOptions;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;

/** Requests of LangChain4j as requests of the engine. What cannot be honoured is refused. */
final class ChatRequests {

    /**
     * A request that is ready to run.
     *
     * @param completion what the engine runs
     * @param tools the format of calls in the answer, if there are tools
     * @param opened whether the prompt begins a call
     */
    record Prepared(CompletionRequest completion, Optional<ToolFormat> tools, boolean opened) {}

    private static final String NO_PARAMETERS =
            "{\"type\": \"object\", \"properties\": {}, \"additionalProperties\": false}";

    private final StowageEngine engine;
    private final OptionalLong seed;

    ChatRequests(StowageEngine engine, OptionalLong seed) {
        this.engine = engine;
        this.seed = seed;
    }

    /** Refuses parameters that no request can have. */
    void check(ChatRequestParameters parameters) {
        String name = parameters.modelName();
        if (name != null && !name.equals(engine.modelName())) {
            throw new UnsupportedFeatureException("'modelName' parameter '" + name
                    + "' is not supported: the model of this engine is '" + engine.modelName() + "'");
        }
    }

    /**
     * The request of the engine for a request with all parameters.
     *
     * @throws UnsupportedFeatureException if something in it is not supported
     * @throws InvalidRequestException if something in it is wrong
     */
    Prepared prepare(ChatRequest request) {
        ChatRequestParameters parameters = request.parameters();
        check(parameters);
        ChatRequestValidationUtils.validateMessages(request.messages());
        try {
            return prepared(request, parameters);
        } catch (StowageException e) {
            throw new InvalidRequestException(e.getMessage(), e);
        }
    }

    private Prepared prepared(ChatRequest request, ChatRequestParameters parameters) {
        boolean shown = parameters.toolChoice() != ToolChoice.NONE;
        boolean required = parameters.toolChoice() == ToolChoice.REQUIRED;
        List<Tool> tools = shown ? tools(parameters.toolSpecifications()) : List.of();
        List<ChatMessage> messages = ChatMessages.of(request.messages());
        checkTools(messages, tools, required);
        Optional<Grammar> format = format(parameters.responseFormat());
        if (!tools.isEmpty() && format.isPresent()) {
            throw new UnsupportedFeatureException("tools together with a JSON response format are not supported");
        }
        ChatPrompt prompt = template().render(messages, tools, true);
        Optional<ToolFormat> toolFormat =
                tools.isEmpty() ? Optional.empty() : template().toolFormat();
        String opening = required ? toolFormat.orElseThrow().opening() : "";
        CompletionRequest.Builder builder = CompletionRequest.builder(
                        prompt.append(opening).encode(engine.model().tokenizer()))
                .sampling(sampling(parameters));
        if (required) {
            builder.grammar(toolGrammar(toolFormat.orElseThrow(), tools));
        }
        format.ifPresent(builder::grammar);
        if (parameters.maxOutputTokens() != null) {
            builder.maxTokens(parameters.maxOutputTokens());
        }
        if (parameters.stopSequences() != null) {
            builder.stop(parameters.stopSequences());
        }
        return new Prepared(builder.build(), toolFormat, required);
    }

    private ChatTemplate template() {
        return engine.chatTemplate();
    }

    private void checkTools(List<ChatMessage> messages, List<Tool> tools, boolean required) {
        boolean calls = messages.stream().anyMatch(message -> !message.calls().isEmpty());
        if ((calls || !tools.isEmpty()) && template().toolFormat().isEmpty()) {
            throw new UnsupportedFeatureException((required ? "ToolChoice.REQUIRED is not supported: " : "")
                    + "tools are not supported by the chat template of this model, '"
                    + template().label() + "'");
        }
        if (required && tools.isEmpty()) {
            throw new InvalidRequestException("ToolChoice.REQUIRED needs at least one tool");
        }
    }

    private SamplingOptions sampling(ChatRequestParameters parameters) {
        SamplingOptions options = SamplingOptions.defaults()
                .withSeed(
                        seed.isPresent()
                                ? seed.getAsLong()
                                : ThreadLocalRandom.current().nextLong());
        if (parameters.temperature() != null) {
            options = options.withTemperature(parameters.temperature().floatValue());
        }
        if (parameters.topP() != null) {
            options = options.withTopP(parameters.topP().floatValue());
        }
        if (parameters.topK() != null) {
            options = options.withTopK(parameters.topK());
        }
        if (parameters.frequencyPenalty() != null || parameters.presencePenalty() != null) {
            options = options.withPenalties(
                    parameters.frequencyPenalty() == null
                            ? 0
                            : parameters.frequencyPenalty().floatValue(),
                    parameters.presencePenalty() == null
                            ? 0
                            : parameters.presencePenalty().floatValue());
        }
        return options;
    }

    private static List<Tool> tools(List<ToolSpecification> specifications) {
        return specifications == null
                ? List.of()
                : specifications.stream()
                        .map(each -> new Tool(
                                each.name(),
                                each.description() == null ? "" : each.description(),
                                each.parameters() == null ? NO_PARAMETERS : schema(each.parameters())))
                        .toList();
    }

    private static Optional<Grammar> format(ResponseFormat format) {
        if (format == null || format.type() == ResponseFormatType.TEXT) {
            return Optional.empty();
        }
        if (format.jsonSchema() == null) {
            return Optional.of(Grammar.json());
        }
        try {
            return Optional.of(Grammar.jsonSchema(schema(format.jsonSchema().rootElement())));
        } catch (MalformedDataException e) {
            throw new UnsupportedFeatureException("JSON response format: " + e.getMessage());
        }
    }

    private static Grammar toolGrammar(ToolFormat format, List<Tool> tools) {
        try {
            return Grammar.toolCalls(format, tools, false);
        } catch (MalformedDataException e) {
            throw new UnsupportedFeatureException("ToolChoice.REQUIRED: " + e.getMessage());
        }
    }

    private static String schema(JsonSchemaElement element) {
        if (element instanceof JsonRawSchema raw) {
            return raw.schema();
        }
        // Without this, an object without properties would be any object.
        JsonSchemaElement root = element;
        if (element instanceof JsonObjectSchema object && object.additionalProperties() == null) {
            root = JsonObjectSchema.builder()
                    .description(object.description())
                    .addProperties(object.properties())
                    .required(object.required())
                    .definitions(object.definitions())
                    .additionalProperties(false)
                    .build();
        }
        return Json.toJson(JsonSchemaElementUtils.toMap(root));
    }
}
