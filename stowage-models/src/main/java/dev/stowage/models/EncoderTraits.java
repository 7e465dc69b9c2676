package dev.stowage.models;

import dev.stowage.error.InvalidGraphException;

/**
 * What makes a transformer an encoder: every token looks at all tokens of its text, those after it too, norms are layer norms
 * with a bias after each sum, and there are neither logits nor a cache. It is read for the states of its tokens, which
 * embeddings of texts are made of.
 *
 * @param positions whether a vector is added for the position of each token, so that texts are no longer than there are such
 *     vectors
 * @param tokenTypes how many kinds of tokens have a vector that is added; 0 for none. All tokens here are of the first kind
 * @param gated whether the feed-forward network has a gate
 */
public record EncoderTraits(boolean positions, int tokenTypes, boolean gated) {

    public EncoderTraits {
        if (tokenTypes < 0) {
            throw new InvalidGraphException("there are at least 0 kinds of tokens, not " + tokenTypes);
        }
    }
}
