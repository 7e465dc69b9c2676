package dev.stowage.bench.ggml.op;

import dev.stowage.bench.ggml.GgmlLibrary;
import dev.stowage.error.MalformedDataException;
import java.util.List;

/**
 * Checks that every op with a function in ggml is mirrored as that function would make it: type, shape, strides,
 * sources, views, and every word of the parameters. The values are chosen so that no two words are alike by chance.
 */
final class GgmlOpCheck {

    private GgmlOpCheck() {}

    /**
     * Compares all ops.
     *
     * @return how many there were
     * @throws MalformedDataException naming those that differ
     */
    static int check(GgmlLibrary library) {
        try (OpPairs pairs = new OpPairs(library)) {
            ElementOpChecks.run(pairs);
            RowOpChecks.run(pairs);
            ShapeOpChecks.run(pairs);
            AttentionOpChecks.run(pairs);
            WindowOpChecks.run(pairs);
            SequenceOpChecks.run(pairs);
            List<String> differences = pairs.differences();
            if (!differences.isEmpty()) {
                throw new MalformedDataException(differences.size() + " differences between ops made here and by "
                        + library + ":\n  " + String.join("\n  ", differences));
            }
            return pairs.compared();
        }
    }
}
