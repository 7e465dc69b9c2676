package dev.stowage.bench.ggml;

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
        try (OpTwins twins = new OpTwins(library)) {
            ElementOpChecks.run(twins);
            RowOpChecks.run(twins);
            ShapeOpChecks.run(twins);
            AttentionOpChecks.run(twins);
            WindowOpChecks.run(twins);
            SequenceOpChecks.run(twins);
            List<String> differences = twins.differences();
            if (!differences.isEmpty()) {
                throw new MalformedDataException(differences.size() + " differences between ops made here and by "
                        + library + ":\n  " + String.join("\n  ", differences));
            }
            return twins.compared();
        }
    }
}
