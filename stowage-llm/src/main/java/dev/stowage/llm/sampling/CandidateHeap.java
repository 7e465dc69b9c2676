package dev.stowage.llm.sampling;

/**
 * The tokens that may be chosen, as a heap with the best on top, so that the few best of many are found without sorting
 * them all. Of equal logits the lower id is the better.
 */
final class CandidateHeap {

    private final int[] heap;
    private float[] logits = new float[0];
    private int size;

    CandidateHeap(int vocabulary) {
        this.heap = new int[vocabulary];
    }

    /** Begins with all tokens that have a number for a logit and are not ruled out by it. */
    void begin(float[] all) {
        logits = all;
        size = 0;
        for (int token = 0; token < heap.length; token++) {
            if (all[token] > Float.NEGATIVE_INFINITY) {
                heap[size++] = token;
            }
        }
        for (int at = size / 2 - 1; at >= 0; at--) {
            sink(at, heap[at]);
        }
    }

    /** How many have not been taken. */
    int size() {
        return size;
    }

    /** The best. */
    int best() {
        return heap[0];
    }

    /** Takes the best off. */
    int take() {
        int best = heap[0];
        size--;
        sink(0, heap[size]);
        return best;
    }

    private void sink(int from, int token) {
        int at = from;
        while (2 * at + 1 < size) {
            int child = 2 * at + 1;
            if (child + 1 < size && isBetter(heap[child + 1], heap[child])) {
                child++;
            }
            if (isBetter(token, heap[child])) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = token;
    }

    private boolean isBetter(int one, int other) {
        return logits[one] > logits[other] || (logits[one] == logits[other] && one < other);
    }

    /** Copies all that have not been taken, the best first and the others in no particular order. */
    int copyTo(int[] target) {
        System.arraycopy(heap, 0, target, 0, size);
        return size;
    }
}
