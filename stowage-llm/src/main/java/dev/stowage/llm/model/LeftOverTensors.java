package dev.stowage.llm.model;

import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.Printable;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tensors of a file that the model does not use. A model that leaves out a norm, a bias or its last layers runs, and writes
 * nonsense; so a file is refused unless all of its tensors are used, as in llama.cpp. There is no list of exceptions: the factors
 * of the rope ({@code rope_freqs.weight}), which llama.cpp takes for some architectures alone, are used for all of them here.
 */
final class LeftOverTensors {

    /** More than these are counted and not named. */
    private static final int NAMED = 4;

    private static final Pattern LAYER = Pattern.compile("blk\\.(\\d{1,9})\\..*");

    private LeftOverTensors() {}

    /**
     * What is wrong with a file that has tensors which are not used; empty where all are used.
     *
     * @param used the names of the tensors that the model uses
     * @param layers the number of layers of the model
     */
    static Optional<String> in(GgufContents contents, Set<String> used, int layers) {
        List<String> left = contents.tensors().keySet().stream()
                .filter(name -> !used.contains(name))
                .toList();
        if (left.isEmpty()) {
            return Optional.empty();
        }
        String architecture = Printable.brief(contents.metadata().architecture());
        boolean beyond = left.stream().allMatch(name -> layerOf(name) >= layers);
        String why = beyond
                ? "they belong to layers from " + layers + " on, but by key '" + architecture
                        + ".block_count' there are " + layers
                : "a model of the architecture '" + architecture + "' has no such tensors";
        return Optional.of(left.size() + " of " + contents.tensors().size() + " tensors would not be used ("
                + names(left) + "): " + why
                + "; the output would be wrong, so the model is not run. Convert it anew, or correct its metadata");
    }

    private static String names(List<String> left) {
        String named = String.join(
                ", ", left.stream().limit(NAMED).map(Printable::brief).toList());
        return left.size() > NAMED ? named + " and " + (left.size() - NAMED) + " more" : named;
    }

    /** The number of the layer in the name of a tensor; -1 where it is of none. */
    private static int layerOf(String name) {
        Matcher matcher = LAYER.matcher(name);
        return matcher.matches() ? Integer.parseInt(matcher.group(1)) : -1;
    }
}
