package dev.stowage.llm.golden;

import dev.stowage.llm.Batch;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.Session;
import dev.stowage.llm.tokenizer.EncodeOptions;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Compares what a model computes with what was recorded. Adding floats in another order moves logits a little, and
 * near-ties then fall the other way; so tokens and text must be the same, and numbers near:
 *
 * <ul>
 *   <li>logits by their normalised mean squared error, at most 1e-5, 1e-4 where weights are bf16, or 2e-3 where they are quantised:
 *       rounding what they are multiplied with makes llama.cpp's plain and flash attention differ by 3.2e-5 with bf16, and two
 *       builds of it by 7.5e-4 with quantised weights;
 *   <li>the likelihood of the prompt within half a percent;
 * <li>greedy choices one by one along the recorded ones: each is the best here too, or its logit is below the best by
 * at most a hundredth of the range of all logits, or three where weights are quantised.
 * </ul>
 *
 * <p>Where a model chooses experts, rounding can decide which, and what follows is of another size than rounding. Logits and greedy
 * choices that are not near are <i>undecided</i> if they are near once the closest such choices are made the other way, and only
 * choices that are closer than the errors above allow are: then both computations are right, and nothing can be said of the rest.
 */
public final class ModelConformance implements AutoCloseable {

    private static final double PLAIN_ERROR = 1e-5;
    private static final double BF16_ERROR = 1e-4;
    private static final double QUANTISED_ERROR = 2e-3;
    private static final double NLL_SHARE = 0.005;
    private static final double TIE_SHARE = 0.01;
    private static final double QUANTISED_TIE_SHARE = 0.03;

    /** How many close choices of experts are made the other way to find out whether they explain a difference. */
    private static final int MOST_CHANGED = 4;

    /** How many are tried for each of these, the closest first. */
    private static final int MOST_TRIED = 16;

    /** What came of a comparison. */
    public enum Outcome {
        PASSED,
        FAILED,
        /** Rounding decided which experts a token went through, which explains the difference. */
        UNDECIDED
    }

    /** What one comparison of one case found; the detail says what was expected and found. */
    public record Finding(String check, Outcome outcome, String detail) {

        static Finding of(String check, boolean passed, String detail) {
            return new Finding(check, passed ? Outcome.PASSED : Outcome.FAILED, detail);
        }

        public boolean passed() {
            return outcome == Outcome.PASSED;
        }

        private Finding undecided(String why) {
            return passed() ? this : new Finding(check, Outcome.UNDECIDED, detail + "; as recorded where " + why);
        }
    }

    /** A comparison, and how near it came: the error of logits, and the first greedy choice that is not near. */
    private record Attempt(List<Finding> findings, double error, int step) {

        boolean passed() {
            return findings.stream().allMatch(Finding::passed);
        }

        boolean isNearerThan(Attempt other, double mostError) {
            return other.error > mostError ? error < other.error / 2 : error <= mostError && step > other.step;
        }
    }

    private final LanguageModel model;
    private final Session session;
    private final double mostError;
    private final double tieShare;

    /** For a model, in a session of its own. */
    public ModelConformance(LanguageModel model) {
        model.requireText();
        this.model = model;
        this.session = model.newSession();
        Set<ElementType> types =
                model.blueprint().weights().stream().map(Tensor::type).collect(Collectors.toSet());
        boolean quantised = types.stream().anyMatch(ElementType::isQuantized);
        this.mostError = quantised ? QUANTISED_ERROR : types.contains(ElementType.BF16) ? BF16_ERROR : PLAIN_ERROR;
        this.tieShare = quantised ? QUANTISED_TIE_SHARE : TIE_SHARE;
    }

    /** Compares everything that was recorded for a prompt. */
    public List<Finding> check(GoldenCase golden) {
        return settled(golden, compare(golden));
    }

    /**
     * Compares with several recordings of the same prompt, and returns what was found for the one that is nearest: the
     * first of those with the fewest failures.
     */
    public List<Finding> checkNearest(List<GoldenCase> recordings) {
        List<Finding> nearest = List.of();
        long fewest = Long.MAX_VALUE;
        for (GoldenCase golden : recordings) {
            List<Finding> findings = compare(golden).findings;
            long failures = failures(findings);
            if (failures < fewest) {
                fewest = failures;
                nearest = findings;
            }
        }
        for (GoldenCase golden : fewest == 0 ? List.<GoldenCase>of() : recordings) {
            List<Finding> findings = check(golden);
            if (failures(findings) < fewest) {
                fewest = failures(findings);
                nearest = findings;
            }
        }
        return nearest;
    }

    private static long failures(List<Finding> findings) {
        return findings.stream()
                .filter(finding -> finding.outcome == Outcome.FAILED)
                .count();
    }

    private Attempt compare(GoldenCase golden) {
        Finding tokens = tokens(golden);
        runPrompt(golden.tokens());
        Finding likelihood = likelihood(golden);
        double error = logitsError(golden);
        GreedyStep step = firstStepThatDiffers(golden);
        List<Finding> findings = List.of(tokens, likelihood, logits(golden, error), greedy(golden, step), text(golden));
        return new Attempt(findings, error, step.number);
    }

    /** The findings, those of logits and greedy choices undecided where other choices of experts explain them. */
    private List<Finding> settled(GoldenCase golden, Attempt found) {
        if (found.passed() || !model.blueprint().shape().hasExperts()) {
            return found.findings;
        }
        List<ExpertChoices.Close> changed = new ArrayList<>();
        Attempt nearest = found;
        while (!nearest.passed() && changed.size() < MOST_CHANGED) {
            Optional<Attempt> nearer = changeOne(golden, nearest, changed);
            if (nearer.isEmpty()) {
                return found.findings;
            }
            nearest = nearer.get();
        }
        String why = changed.stream().map(ExpertChoices.Close::toString).collect(Collectors.joining(", and "));
        return nearest.passed()
                ? found.findings.stream().map(finding -> finding.undecided(why)).toList()
                : found.findings;
    }

    /** Makes one more close choice the other way, so that the result is nearer; empty where there is no such choice. */
    private Optional<Attempt> changeOne(GoldenCase golden, Attempt nearest, List<ExpertChoices.Close> changed) {
        ExpertChoices made = watching(changed);
        observed(golden, made);
        // What a later token goes through cannot have changed the first choice that differs.
        int tokens = golden.tokens().length + (nearest.error > mostError ? 0 : nearest.step);
        // Those of the token right before it change most.
        List<ExpertChoices.Close> candidates = made.close().stream()
                .filter(close -> close.place().token() < tokens)
                .sorted(Comparator.comparing(close -> close.place().token() < tokens - 1))
                .limit(MOST_TRIED)
                .toList();
        for (ExpertChoices.Close candidate : candidates) {
            changed.add(candidate);
            Attempt attempt = observed(golden, watching(changed));
            if (attempt.isNearerThan(nearest, mostError)) {
                return Optional.of(attempt);
            }
            changed.removeLast();
        }
        return Optional.empty();
    }

    private ExpertChoices watching(List<ExpertChoices.Close> changed) {
        return new ExpertChoices(
                model.blueprint().shape().usedExperts(),
                Math.sqrt(mostError),
                changed.stream().map(ExpertChoices.Close::place).collect(Collectors.toSet()));
    }

    private Attempt observed(GoldenCase golden, ExpertChoices choices) {
        session.observe(choices);
        try {
            return compare(golden);
        } finally {
            session.stopObserving();
        }
    }

    private Finding tokens(GoldenCase golden) {
        // Recordings are made with the names of control tokens read as these tokens.
        int[] found = model.tokenizer().encode(golden.prompt(), EncodeOptions.CHAT);
        return Finding.of(
                "tokens",
                Arrays.equals(found, golden.tokens()),
                Arrays.toString(found) + " where " + Arrays.toString(golden.tokens()) + " was recorded");
    }

    private void runPrompt(int[] tokens) {
        session.clear();
        Batch batch = new Batch();
        for (int token : tokens) {
            batch.add(token, 0, true);
        }
        session.run(batch);
    }

    private Finding likelihood(GoldenCase golden) {
        double sum = 0;
        for (int i = 1; i < golden.tokens().length; i++) {
            sum -= logLikelihood(session.logits(i - 1), golden.tokens()[i]);
        }
        boolean near = Math.abs(sum - golden.nll()) <= NLL_SHARE * Math.abs(golden.nll());
        return Finding.of("nll", near, String.format(Locale.ROOT, "%.5f where %.5f was recorded", sum, golden.nll()));
    }

    /** The logarithm of the probability of a token. */
    static double logLikelihood(float[] logits, int token) {
        double most = Double.NEGATIVE_INFINITY;
        for (float logit : logits) {
            most = Math.max(most, logit);
        }
        double sum = 0;
        for (float logit : logits) {
            sum += Math.exp(logit - most);
        }
        return logits[token] - most - Math.log(sum);
    }

    private Finding logits(GoldenCase golden, double error) {
        int found = model.blueprint().shape().vocabulary();
        return found != golden.logits().length
                ? Finding.of("logits", false, found + " logits where " + golden.logits().length + " were recorded")
                : Finding.of(
                        "logits",
                        error <= mostError,
                        String.format(
                                Locale.ROOT, "normalised mean squared error %.2e of at most %.0e", error, mostError));
    }

    /** The normalised mean squared error; infinite where there are more or fewer logits. */
    private double logitsError(GoldenCase golden) {
        float[] found = session.logits(golden.tokens().length - 1);
        if (found.length != golden.logits().length) {
            return Double.POSITIVE_INFINITY;
        }
        double error = 0;
        double power = 0;
        for (int i = 0; i < found.length; i++) {
            double difference = (double) found[i] - golden.logits()[i];
            error += difference * difference;
            power += (double) golden.logits()[i] * golden.logits()[i];
        }
        return error / power;
    }

    /**
     * The first recorded choice that is not near the best one here.
     *
     * @param number how many come before it; as many as there are where all are near
     */
    private record GreedyStep(int number, float logit, float most) {}

    private GreedyStep firstStepThatDiffers(GoldenCase golden) {
        Batch batch = new Batch();
        int row = golden.tokens().length - 1;
        for (int i = 0; i < golden.greedy().length; i++) {
            int token = golden.greedy()[i];
            float[] logits = session.logits(row);
            float most = Float.NEGATIVE_INFINITY;
            float least = Float.POSITIVE_INFINITY;
            for (float logit : logits) {
                most = Math.max(most, logit);
                least = Math.min(least, logit);
            }
            // Written so that NaN does not count as a near miss.
            if (!(most - logits[token] <= tieShare * (most - least))) {
                return new GreedyStep(i, logits[token], most);
            }
            session.run(batch.clear().add(token, 0, true));
            row = 0;
        }
        return new GreedyStep(golden.greedy().length, 0, 0);
    }

    private static Finding greedy(GoldenCase golden, GreedyStep step) {
        int[] greedy = golden.greedy();
        return step.number == greedy.length
                ? Finding.of("greedy", true, greedy.length + " steps")
                : Finding.of(
                        "greedy",
                        false,
                        String.format(
                                Locale.ROOT,
                                "token %d at step %d has logit %.4f, but the best has %.4f",
                                greedy[step.number],
                                step.number,
                                step.logit,
                                step.most));
    }

    private Finding text(GoldenCase golden) {
        String found = model.tokenizer().decodeContinuation(golden.greedy());
        return Finding.of(
                "text", found.equals(golden.text()), "'" + found + "' where '" + golden.text() + "' was recorded");
    }

    @Override
    public void close() {
        session.close();
    }
}
