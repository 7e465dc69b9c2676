package dev.stowage.llm.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.llm.Batch;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.Session;
import dev.stowage.llm.TestModels;
import dev.stowage.llm.engine.CompletionRequest;
import dev.stowage.llm.engine.Engine;
import dev.stowage.llm.engine.EngineOptions;
import dev.stowage.llm.sampling.Sampler;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.llm.sampling.TokenConstraint;
import dev.stowage.llm.tokenizer.EncodeOptions;
import dev.stowage.llm.tokenizer.TokenStream;
import org.junit.jupiter.api.Test;

/** The examples of the documentation of grammars, which are taken from here. */
class GrammarSnippetTest {

    private static String person(LanguageModel model, Engine engine) throws InterruptedException {
        // @start region="grammar"
        Grammar person = Grammar.jsonSchema("""
                {"type": "object",
                 "properties": {"name": {"type": "string", "maxLength": 20},
                                "age": {"type": "integer", "minimum": 0, "maximum": 150}},
                 "required": ["name", "age"]}
                """);
        int[] prompt = model.tokenizer().encode("A person as JSON: ", EncodeOptions.PROMPT);
        String json = engine.submit(
                        CompletionRequest.builder(prompt).grammar(person).build())
                .await()
                .text();
        // @end
        return json;
    }

    private static Grammar arithmetic() {
        // @start region="gbnf"
        Grammar sum = Grammar.gbnf("""
                root   ::= number (" " [-+*/] " " number){1,3} " = " number
                number ::= "-"? ("0" | [1-9] [0-9]{0,2})   # no leading zeros
                """);
        // @end
        return sum;
    }

    private static String withSession(LanguageModel model, Grammar grammar) {
        // @start region="session"
        StringBuilder text = new StringBuilder();
        try (Session session = model.newSession()) {
            TokenConstraint constraint = grammar.constraint(model.tokenizer());
            Sampler sampler = new Sampler(
                    SamplingOptions.defaults(), model.tokenizer().vocabulary().size());
            TokenStream stream = model.tokenizer().stream();
            Batch batch = new Batch();
            session.run(batch.addAll(model.tokenizer().encode("1 + 1 = ", EncodeOptions.PROMPT), 0));
            while (!constraint.mustEnd()) {
                float[] logits = session.logits(0).clone();
                constraint.mask(logits);
                int token = sampler.next(logits);
                if (model.tokenizer().vocabulary().isEnd(token)) {
                    break;
                }
                constraint.accept(token);
                text.append(stream.next(token));
                session.run(batch.clear().add(token, 0, true));
            }
        }
        // @end
        return text.toString();
    }

    @Test
    void textsConform() throws InterruptedException {
        ModelOptions options = ModelOptions.defaults().withContext(512);
        try (LanguageModel model = LanguageModel.open(TestModels.lexicon(), options, LoadListener.NONE)) {
            assertThat(withSession(model, arithmetic())).matches("-?\\d+( [-+*/] -?\\d+)+ = -?\\d+");
            try (Engine engine = new Engine(model, EngineOptions.defaults())) {
                assertThat(person(model, engine)).matches("(?s)\\{\\s*\"name\":\\s*\".*\",\\s*\"age\":\\s*\\d+\\s*}");
            }
        }
    }
}
