package dev.stowage.langchain4j;

import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.exception.InternalServerException;
import dev.langchain4j.exception.InvalidRequestException;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.embedding.listener.EmbeddingModelListener;
import dev.langchain4j.model.output.Response;
import dev.langchain4j.model.output.TokenUsage;
import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.StowageException;
import dev.stowage.llm.engine.Pooling;
import dev.stowage.llm.tokenizer.EncodeOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Vectors of texts, of length 1, over a {@link StowageEngine}. Thread-safe; chat models may share the engine. */
public final class StowageEmbeddingModel implements EmbeddingModel {

    private final StowageEngine engine;
    private final Pooling pooling;
    private final List<EmbeddingModelListener> listeners;

    private StowageEmbeddingModel(Builder builder) {
        engine = Objects.requireNonNull(builder.engine, "an embedding model needs an engine: engine(StowageEngine)");
        pooling = builder.pooling.orElseGet(engine.engine()::pooling);
        listeners = builder.listeners;
    }

    /** A model, of which at least the engine has to be said. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public Response<List<Embedding>> embedAll(List<TextSegment> segments) {
        List<Embedding> embeddings = new ArrayList<>();
        int tokens = 0;
        for (TextSegment segment : segments) {
            int[] encoded = engine.model().tokenizer().encode(segment.text(), EncodeOptions.PROMPT);
            tokens += encoded.length;
            embeddings.add(Embedding.from(embed(encoded)));
        }
        return Response.from(embeddings, new TokenUsage(tokens, 0));
    }

    private float[] embed(int[] tokens) {
        try {
            return engine.engine().embed(tokens, pooling);
        } catch (AccessException | AllocationException e) {
            throw new InvalidRequestException(e.getMessage(), e);
        } catch (StowageException e) {
            throw new InternalServerException(e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InternalServerException("interrupted while waiting for the vector", e);
        }
    }

    @Override
    public int dimension() {
        return Math.toIntExact(engine.model().blueprint().shape().width());
    }

    @Override
    public String modelName() {
        return engine.modelName();
    }

    @Override
    public List<EmbeddingModelListener> listeners() {
        return listeners;
    }

    /** Collects how vectors are made. */
    public static final class Builder {

        private @Nullable StowageEngine engine;
        private Optional<Pooling> pooling = Optional.empty();
        private List<EmbeddingModelListener> listeners = List.of();

        private Builder() {}

        /** On that engine, which has to stay open while the model is used. */
        public Builder engine(StowageEngine changed) {
            engine = changed;
            return this;
        }

        /**
         * With the states of a text put together that way; as the file of the model says unless said otherwise, and else their
         * mean.
         */
        public Builder pooling(Pooling changed) {
            pooling = Optional.of(changed);
            return this;
        }

        /** Notified of requests, responses and errors. */
        public Builder listeners(List<EmbeddingModelListener> changed) {
            listeners = List.copyOf(changed);
            return this;
        }

        /** The model. */
        public StowageEmbeddingModel build() {
            return new StowageEmbeddingModel(this);
        }
    }
}
