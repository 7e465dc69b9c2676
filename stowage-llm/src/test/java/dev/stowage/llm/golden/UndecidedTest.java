package dev.stowage.llm.golden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.llm.Batch;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.LoadListener;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.Session;
import dev.stowage.llm.TestModels;
import dev.stowage.llm.golden.ExpertChoices.Close;
import dev.stowage.llm.golden.ModelConformance.Finding;
import dev.stowage.llm.golden.ModelConformance.Outcome;
import dev.stowage.llm.tokenizer.EncodeOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A difference that comes from a close choice of experts is told from one that does not. */
class UndecidedTest {

    private static final int STEPS = 6;

    /** Of a random model, so that all choices are among those that are watched. */
    private static final double EVERY_CHOICE = 100;

    private static LanguageModel model;

    @BeforeAll
    static void open() {
        ModelOptions options = ModelOptions.defaults().withContext(64).withDevices(List.of(TestModels.cpu()));
        model = LanguageModel.open(TestModels.file("families/tiny-gpt-oss"), options, LoadListener.NONE);
    }

    @AfterAll
    static void close() {
        model.close();
    }

    /** Some prompts, so that there are choices of every kind. */
    private static Stream<String> prompts() {
        return IntStream.range(0, 150).mapToObj(i -> "chapter " + i * 37);
    }

    private static int[] tokens(String prompt) {
        return model.tokenizer().encode(prompt, EncodeOptions.CHAT);
    }

    /** The choices of experts for the last token of a prompt, which the logits after it depend on most. */
    private static Stream<Close> choices(String prompt) {
        int[] tokens = tokens(prompt);
        ExpertChoices choices = watching(Set.of());
        try (Session session = model.newSession()) {
            session.observe(choices);
            run(session, tokens);
        }
        return choices.close().stream().filter(close -> close.place().token() == tokens.length - 1);
    }

    private static ExpertChoices watching(Set<ExpertChoices.Place> changed) {
        return new ExpertChoices(model.blueprint().shape().usedExperts(), EVERY_CHOICE, changed);
    }

    private static void run(Session session, int... tokens) {
        Batch batch = new Batch();
        for (int token : tokens) {
            batch.add(token, 0, true);
        }
        session.run(batch);
    }

    /** What this model computes where some of the choices are made the other way, as if another had computed it. */
    private static GoldenCase recorded(String prompt, Close... changed) {
        int[] tokens = tokens(prompt);
        try (Session session = model.newSession()) {
            session.observe(watching(Stream.of(changed).map(Close::place).collect(Collectors.toSet())));
            run(session, tokens);
            double nll = 0;
            for (int i = 1; i < tokens.length; i++) {
                nll -= ModelConformance.logLikelihood(session.logits(i - 1), tokens[i]);
            }
            float[] logits = session.logits(tokens.length - 1).clone();
            List<Integer> greedy = new ArrayList<>();
            float[] last = logits;
            while (greedy.size() < STEPS) {
                int best = best(last);
                greedy.add(best);
                run(session, best);
                last = session.logits(0);
            }
            int[] chosen = greedy.stream().mapToInt(Integer::intValue).toArray();
            String text = model.tokenizer().decodeContinuation(chosen);
            return new GoldenCase(prompt, tokens, nll, logits, chosen, text);
        }
    }

    private static int best(float[] logits) {
        int best = 0;
        for (int i = 1; i < logits.length; i++) {
            best = logits[i] > logits[best] ? i : best;
        }
        return best;
    }

    private static Set<Outcome> outcomes(GoldenCase recorded) {
        try (ModelConformance conformance = new ModelConformance(model)) {
            return conformance.check(recorded).stream().map(Finding::outcome).collect(Collectors.toSet());
        }
    }

    /** The outcomes where one of some choices is made the other way. */
    private static List<Set<Outcome>> outcomes(Predicate<Close> some) {
        return prompts()
                .flatMap(
                        prompt -> choices(prompt).filter(some).limit(1).map(close -> outcomes(recorded(prompt, close))))
                .limit(4)
                .toList();
    }

    /** By how much of the size of its values a router prefers one expert to the other. */
    private static double share(Close close) {
        return close.margin() / close.noise() * 2 * EVERY_CHOICE;
    }

    @Test
    void theSameChoicesPass() {
        assertThat(outcomes(recorded("chapter 1"))).containsExactly(Outcome.PASSED);
    }

    @Test
    void closeChoicesMadeTheOtherWayAreUndecided() {
        List<Set<Outcome>> ofClose = outcomes(close -> share(close) < 0.006);
        assertThat(ofClose).allSatisfy(outcomes -> assertThat(outcomes).doesNotContain(Outcome.FAILED));
        assertThat(ofClose).anySatisfy(outcomes -> assertThat(outcomes).contains(Outcome.UNDECIDED));
    }

    @Test
    void clearChoicesMadeTheOtherWayFail() {
        List<Set<Outcome>> ofClear = outcomes(close -> share(close) > 0.5);
        assertThat(ofClear).allSatisfy(outcomes -> assertThat(outcomes).doesNotContain(Outcome.UNDECIDED));
        assertThat(ofClear).anySatisfy(outcomes -> assertThat(outcomes).contains(Outcome.FAILED));
    }

    @Test
    void wrongLogitsFail() {
        GoldenCase right = recorded("chapter 1");
        float[] wrong = right.logits().clone();
        for (int i = 0; i < wrong.length; i += 2) {
            wrong[i] += 1f;
        }
        GoldenCase recorded =
                new GoldenCase(right.prompt(), right.tokens(), right.nll(), wrong, right.greedy(), right.text());
        assertThat(outcomes(recorded)).contains(Outcome.FAILED).doesNotContain(Outcome.UNDECIDED);
    }
}
