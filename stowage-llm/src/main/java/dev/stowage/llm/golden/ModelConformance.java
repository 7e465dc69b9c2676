package dev.stowage.llm.golden;

import dev.stowage.llm.Batch;
import dev.stowage.llm.LanguageModel;
import dev.stowage.llm.Session;
import dev.stowage.llm.tokenizer.EncodeOptions;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
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
 */
public final class ModelConformance implements AutoCloseable {

    private static final double PLAIN_ERROR = 1e-5;
    private static final double BF16_ERROR = 1e-4;
    private static final double QUANTISED_ERROR = 2e-3;
    private static final double NLL_SHARE = 0.005;
    private static final double TIE_SHARE = 0.01;
    private static final double QUANTISED_TIE_SHARE = 0.03;

    /** What one comparison of one case found; the detail says what was expected and found. */
    public record Finding(String check, boolean passed, String detail) {}

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
        List<Finding> findings = new ArrayList<>();
        findings.add(tokens(golden));
        runPrompt(golden.tokens());
        findings.add(likelihood(golden));
        findings.add(logits(golden));
        findings.add(greedy(golden));
        findings.add(text(golden));
        return findings;
    }

    /**
     * Compares with several recordings of the same prompt, and returns what was found for the one that is nearest: the
     * first of those with the fewest failures.
     */
    public List<Finding> checkNearest(List<GoldenCase> recordings) {
        List<Finding> nearest = List.of();
        long fewest = Long.MAX_VALUE;
        for (GoldenCase golden : recordings) {
            List<Finding> findings = check(golden);
            long failures =
                    findings.stream().filter(finding -> !finding.passed()).count();
            if (failures < fewest) {
                fewest = failures;
                nearest = findings;
            }
        }
        return nearest;
    }

    private Finding tokens(GoldenCase golden) {
        // Recordings are made with the names of control tokens read as these tokens.
        int[] found = model.tokenizer().encode(golden.prompt(), EncodeOptions.CHAT);
        return new Finding(
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
        return new Finding("nll", near, String.format(Locale.ROOT, "%.5f where %.5f was recorded", sum, golden.nll()));
    }

    private static double logLikelihood(float[] logits, int token) {
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

    private Finding logits(GoldenCase golden) {
        float[] found = session.logits(golden.tokens().length - 1);
        if (found.length != golden.logits().length) {
            return new Finding(
                    "logits", false, found.length + " logits where " + golden.logits().length + " were recorded");
        }
        double error = 0;
        double power = 0;
        for (int i = 0; i < found.length; i++) {
            double difference = (double) found[i] - golden.logits()[i];
            error += difference * difference;
            power += (double) golden.logits()[i] * golden.logits()[i];
        }
        double share = error / power;
        return new Finding(
                "logits",
                share <= mostError,
                String.format(Locale.ROOT, "normalised mean squared error %.2e of at most %.0e", share, mostError));
    }

    private Finding greedy(GoldenCase golden) {
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
                return new Finding(
                        "greedy",
                        false,
                        String.format(
                                Locale.ROOT,
                                "token %d at step %d has logit %.4f, but the best has %.4f",
                                token,
                                i,
                                logits[token],
                                most));
            }
            session.run(batch.clear().add(token, 0, true));
            row = 0;
        }
        return new Finding("greedy", true, golden.greedy().length + " steps");
    }

    private Finding text(GoldenCase golden) {
        String found = model.tokenizer().decodeContinuation(golden.greedy());
        return new Finding(
                "text", found.equals(golden.text()), "'" + found + "' where '" + golden.text() + "' was recorded");
    }

    @Override
    public void close() {
        session.close();
    }
}
