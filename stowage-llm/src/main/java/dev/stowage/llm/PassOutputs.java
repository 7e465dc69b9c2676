package dev.stowage.llm;

import dev.stowage.error.AccessException;
import dev.stowage.llm.BoundPasses.BoundPass;
import dev.stowage.models.TokenChoice;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.Scheduler;
import dev.stowage.tensor.Tensor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the passes of the last run gave: logits, or tokens where the run chose them. After that, the logits stay on
 * the device until the next run, and are read if somebody asks for them.
 */
final class PassOutputs {

    private final Scheduler scheduler;
    private final Logits logits;
    private final Logits states;
    private final ChosenTokens tokens;

    /** The pass whose logits are still on the device, and how many outputs the passes before it gave. */
    private @Nullable BoundPass unread;

    private int before;

    PassOutputs(int vocabulary, int width, SessionResources resources) {
        this.scheduler = resources.scheduler();
        this.logits = new Logits(vocabulary, resources.staging());
        this.states = new Logits(width, resources.staging());
        this.tokens = new ChosenTokens(resources.staging());
    }

    void clear() {
        logits.clear();
        states.clear();
        tokens.clear();
        unread = null;
    }

    /** For how many tokens of the last run there is something. */
    int count() {
        return Math.max(states.count(), Math.max(logits.count(), tokens.count()));
    }

    /** Waits for a pass that was submitted, and appends its first outputs. */
    void collect(BoundPass pass, int wanted) {
        BoundSchedule bound = pass.bound();
        Tensor chosen = pass.graph().tokens();
        Tensor read = chosen != null ? chosen : pass.graph().logits();
        // A transfer that is only submitted goes into the stream before the one wait.
        boolean submits = logits.submits(bound, read);
        if (!submits) {
            scheduler.synchronize();
        }
        if (chosen != null) {
            unread = pass;
            before = tokens.count();
            tokens.read(bound, chosen, wanted);
        } else if (pass.graph().pass().choice() instanceof TokenChoice.States) {
            states.read(bound, read, wanted);
        } else {
            logits.read(bound, read, wanted);
        }
        if (submits) {
            scheduler.synchronize();
        }
    }

    /**
     * @throws AccessException if there are not so many, or the last run gave logits
     */
    int token(int number) {
        if (tokens.count() == 0 && logits.count() > 0) {
            throw new AccessException(
                    "the last run gave logits and chose no tokens: run a batch that is greedy or drawn");
        }
        return tokens.token(number);
    }

    /**
     * @throws AccessException if there are not so many, or the last run gave no states
     */
    float[] state(int number) {
        if (states.count() == 0 && count() > 0) {
            throw new AccessException("the last run gave no states: run a batch that asks for them");
        }
        return states.row(number);
    }

    /**
     * @throws AccessException if there are not so many, or a later pass has overwritten them
     */
    float[] logits(int number) {
        if (states.count() > 0) {
            throw new AccessException(
                    "the last run gave states and no logits: run a batch that does not ask for states");
        }
        if (number < 0 || number >= count()) {
            throw new AccessException(
                    "the last run gave logits for " + count() + " tokens, so there are none with number " + number);
        }
        if (tokens.count() == 0) {
            return logits.row(number);
        }
        if (number < before) {
            throw new AccessException("the last run chose tokens and took several passes, so that logits are there only"
                    + " for outputs from " + before + " on, not for " + number);
        }
        BoundPass pass = Objects.requireNonNull(unread, "the last pass of a run that chose tokens");
        if (logits.count() == 0) {
            logits.read(pass.bound(), pass.graph().logits(), tokens.count() - before);
            scheduler.synchronize();
        }
        return logits.row(number - before);
    }
}
