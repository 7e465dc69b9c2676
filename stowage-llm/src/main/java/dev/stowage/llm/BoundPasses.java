package dev.stowage.llm;

import dev.stowage.llm.fit.SessionShape;
import dev.stowage.llm.model.ModelBlueprint;
import dev.stowage.models.DecoderGraph;
import dev.stowage.models.KeyValueCache;
import dev.stowage.models.LayerNorms;
import dev.stowage.models.LayerPlacement;
import dev.stowage.models.Pass;
import dev.stowage.models.TokenChoice;
import dev.stowage.schedule.BoundSchedule;
import dev.stowage.schedule.ScheduleRequest;
import dev.stowage.schedule.Scheduler;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The passes of a session, ready to be run: the last of a single token and the last of several are kept, so that a prompt
 * and the generation after it are planned, scheduled and prepared once each, however often they alternate.
 */
final class BoundPasses {

    /** A graph that can be run again at any time, and what is written into its inputs. */
    record BoundPass(DecoderGraph graph, PassInputs inputs, BoundSchedule bound) {}

    private final ModelBlueprint blueprint;
    private final LayerPlacement layers;
    private final KeyValueCache cache;
    private final Scheduler scheduler;

    private @Nullable BoundPass generation;
    private @Nullable BoundPass prompt;
    private @Nullable BoundPass last;

    BoundPasses(ModelBlueprint blueprint, LayerPlacement layers, KeyValueCache cache, Scheduler scheduler) {
        this.blueprint = blueprint;
        this.layers = layers;
        this.cache = cache;
        this.scheduler = scheduler;
    }

    /** Takes the memory for the largest passes, so that every other fits. */
    void reserve(SessionShape shape) {
        for (Pass pass : shape.largestPasses()) {
            scheduler.reserve(request(blueprint.graph(cache, pass)));
        }
    }

    private ScheduleRequest request(DecoderGraph graph) {
        ScheduleRequest request = scheduler.request(graph.graph());
        return scheduler.backends().size() > 1
                ? request.assign(LayerNorms.assignments(graph.layers(), layers))
                : request;
    }

    /** The pass with these properties of a {@link Pass}, as it was kept or made anew. */
    BoundPass of(int tokens, int cells, int outputs, TokenChoice choice) {
        @Nullable BoundPass kept = tokens == 1 ? generation : prompt;
        if (kept != null && isSame(kept.graph().pass(), tokens, cells, outputs, choice)) {
            last = kept;
            return kept;
        }
        return make(new Pass(tokens, cells, outputs, choice), kept);
    }

    private static boolean isSame(Pass pass, int tokens, int cells, int outputs, TokenChoice choice) {
        return pass.tokens() == tokens
                && pass.cells() == cells
                && pass.outputs() == outputs
                && Objects.equals(pass.choice(), choice);
    }

    private BoundPass make(Pass pass, @Nullable BoundPass kept) {
        DecoderGraph built = blueprint.graph(cache, pass);
        BoundPass made = new BoundPass(built, new PassInputs(built, cache), scheduler.bind(request(built)));
        if (pass.tokens() == 1) {
            generation = made;
        } else {
            prompt = made;
        }
        last = made;
        if (kept != null) {
            kept.bound().close();
        }
        return made;
    }

    /** The one that was asked for last. */
    Optional<BoundPass> last() {
        return Optional.ofNullable(last);
    }
}
