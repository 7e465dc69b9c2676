package dev.stowage.packing;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.packing.search.AnytimePacker;
import dev.stowage.packing.search.ExactPacker;
import dev.stowage.packing.search.GreedyOrder;
import dev.stowage.packing.search.GreedyPacker;
import java.util.List;

/** All packers, by name. */
public final class Packers {

    private static final List<Packer> ALL = List.of(
            GreedyPacker.executionOrder("ggml"),
            GreedyPacker.of("size", GreedyOrder.SIZE),
            GreedyPacker.of("area", GreedyOrder.AREA),
            GreedyPacker.of("lifetime", GreedyOrder.LIFETIME),
            GreedyPacker.of("conflicts", GreedyOrder.CONFLICTS),
            new GreedyPacker("best", GreedyPacker.ALL),
            new ExactPacker(),
            new AnytimePacker());

    private Packers() {}

    /** The default packer. */
    public static Packer standard() {
        return ALL.getLast();
    }

    /** The names of all packers, from the simplest to the default. */
    public static List<String> names() {
        return ALL.stream().map(Packer::name).toList();
    }

    /**
     * The packer of that name.
     *
     * @throws InvalidPlanException if there is none; the message lists the names
     */
    public static Packer named(String name) {
        for (Packer packer : ALL) {
            if (packer.name().equals(name)) {
                return packer;
            }
        }
        throw new InvalidPlanException("there is no packer '" + name + "'; there are " + String.join(", ", names()));
    }
}
