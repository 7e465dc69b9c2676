package dev.stowage.llm.engine;

import java.util.Arrays;

/**
 * Divides the tokens that a pass has room for among prompts that are to be read: equal shares, and what a short prompt
 * leaves goes to the others. So a short prompt is read in one pass however long the others are.
 */
final class PromptShares {

    private PromptShares() {}

    /** By prompt how many of its tokens to read; in all at most {@code room}, and as many as there are otherwise. */
    static int[] divide(int[] unread, int room) {
        int[] shares = new int[unread.length];
        Integer[] order = new Integer[unread.length];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, (a, b) -> Integer.compare(unread[a], unread[b]));
        int left = room;
        for (int i = 0; i < order.length; i++) {
            int prompt = order[i];
            shares[prompt] = Math.min(unread[prompt], left / (order.length - i));
            left -= shares[prompt];
        }
        // Less than a token each is left over when there are more prompts than tokens.
        for (int i = order.length - 1; i >= 0 && left > 0; i--) {
            int more = Math.min(left, unread[order[i]] - shares[order[i]]);
            shares[order[i]] += more;
            left -= more;
        }
        return shares;
    }
}
