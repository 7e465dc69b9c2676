package dev.stowage.cpu.machine;

import java.util.ArrayList;
import java.util.List;

/** A place in the code that jumps go to; it may be bound after them. A label belongs to one assembler. */
public final class Label {

    private static final int UNBOUND = -1;

    private int position = UNBOUND;
    private final List<Integer> jumps = new ArrayList<>();

    boolean isBound() {
        return position != UNBOUND;
    }

    int position() {
        return position;
    }

    void bind(int at) {
        if (isBound()) {
            throw new IllegalStateException("the label is bound already, at byte " + position);
        }
        position = at;
    }

    /** Records a distance of four bytes that is not known yet, by its place in the code. */
    void addJump(int at) {
        jumps.add(at);
    }

    List<Integer> jumps() {
        return jumps;
    }
}
