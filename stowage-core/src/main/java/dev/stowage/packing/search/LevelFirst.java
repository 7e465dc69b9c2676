package dev.stowage.packing.search;

/**
 * Moves the candidates that leave the skyline smooth to the front: first buffers that fill a valley and end level with
 * both walls, then those that touch a wall and end level with it, then those that fill the valley. Packings with little
 * slack nearly always need this.
 */
final class LevelFirst {

    private static final int BEST_FIT = 3;

    private LevelFirst() {}

    /** Sorts the answers between two indices, stably. */
    static void arrange(
            SearchModel model,
            int[] answers,
            int from,
            int to,
            int left,
            int right,
            long level,
            long leftWall,
            long rightWall) {
        int sorted = from;
        for (int selected = BEST_FIT; selected > 0 && sorted < to; selected--) {
            for (int at = sorted; at < to; at++) {
                int buffer = answers[at];
                long height = level + model.size[buffer];
                boolean atLeft = model.first[buffer] == left;
                boolean atRight = model.end[buffer] == right;
                if (fit(atLeft, atRight, atLeft && height == leftWall, atRight && height == rightWall) == selected) {
                    System.arraycopy(answers, sorted, answers, sorted + 1, at - sorted);
                    answers[sorted++] = buffer;
                }
            }
        }
    }

    private static int fit(boolean atLeft, boolean atRight, boolean levelLeft, boolean levelRight) {
        if (levelLeft && levelRight) {
            return BEST_FIT;
        }
        if (levelLeft || levelRight) {
            return 2;
        }
        return atLeft && atRight ? 1 : 0;
    }
}
