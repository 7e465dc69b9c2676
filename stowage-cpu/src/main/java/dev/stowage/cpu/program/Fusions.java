package dev.stowage.cpu.program;

import dev.stowage.device.fusion.FusionMatcher;
import java.util.List;

/** The fusions that are switched on, in the order in which they are tried. */
public final class Fusions {

    private final List<Fusion> fusions;
    private final FusionMatcher<Fusion> matcher;

    public Fusions(List<Fusion> fusions) {
        this.fusions = List.copyOf(fusions);
        this.matcher = new FusionMatcher<>(fusions);
    }

    /** The names that {@code without-fusions} takes to switch each of them off. */
    public List<String> names() {
        return fusions.stream().map(Fusion::name).toList();
    }

    /** Finds the nodes that they are for. */
    FusionMatcher<Fusion> matcher() {
        return matcher;
    }
}
