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
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The passes of a session, ready to be run: the last ones of a single token, the last ones of at most a token for each sequence
 * and the last of more are kept, so that a prompt and the generation after it are planned, scheduled and prepared once each,
 * however often they alternate. Several sequences take a step of cells within a few passes, and give cells back as often: of
 * passes that generate there are as many as steps that a context goes through in turn.
 */
final class BoundPasses {

    /** A graph that can be run again at any time, and what is written into its inputs. */
    record BoundPass(DecoderGraph graph, PassInputs inputs, BoundSchedule bound) {}

    /** One token, a token of each sequence, more. */
    private static final int KINDS = 3;

    /** How many passes that generate are kept of each kind. */
    private static final int MOST_KEPT = 8;

    private final ModelBlueprint blueprint;
    private final LayerPlacement layers;
    private final KeyValueCache cache;
    private final Scheduler scheduler;

    private final int sequences;

    /** By kind of pass the last ones, the latest first. */
    private final List<List<BoundPass>> kept = IntStream.range(0, KINDS)
            .<List<BoundPass>>mapToObj(_ -> new ArrayList<>())
            .toList();

    private @Nullable BoundPass last;

    BoundPasses(
            ModelBlueprint blueprint, LayerPlacement layers, KeyValueCache cache, Scheduler scheduler, int sequences) {
        this.sequences = sequences;
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
    BoundPass of(int tokens, int cells, int windowCells, int outputs, TokenChoice choice) {
        List<BoundPass> same = kept.get(tokens == 1 ? 0 : tokens <= sequences ? 1 : KINDS - 1);
        for (int i = 0; i < same.size(); i++) {
            BoundPass pass = same.get(i);
            if (isSame(pass.graph().pass(), tokens, cells, windowCells, outputs, choice)) {
                if (i > 0) {
                    same.add(0, same.remove(i));
                }
                last = pass;
                return pass;
            }
        }
        BoundPass made = make(new Pass(tokens, cells, windowCells, outputs, choice));
        last = made;
        same.add(0, made);
        int most = tokens <= sequences ? MOST_KEPT : 1;
        while (same.size() > most) {
            same.removeLast().bound().close();
        }
        return made;
    }

    private static boolean isSame(Pass pass, int tokens, int cells, int windowCells, int outputs, TokenChoice choice) {
        return pass.tokens() == tokens
                && pass.cells() == cells
                && pass.windowCells() == windowCells
                && pass.outputs() == outputs
                && Objects.equals(pass.choice(), choice);
    }

    private BoundPass make(Pass pass) {
        DecoderGraph built = blueprint.graph(cache, pass);
        return new BoundPass(
                built, new PassInputs(built, cache, blueprint.shape().isEncoder()), scheduler.bind(request(built)));
    }

    /** The one that was asked for last. */
    Optional<BoundPass> last() {
        return Optional.ofNullable(last);
    }
}
