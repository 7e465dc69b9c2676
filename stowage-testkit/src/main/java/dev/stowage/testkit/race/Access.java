package dev.stowage.testkit.race;

/**
 * One access of a log.
 *
 * @param number where in the log it stands, counted from 0
 * @param work what it is a part of
 * @param touch the bytes
 * @param turn how many pieces of work its actor had done with it
 */
public record Access(int number, Happening.Work work, Touch touch, int turn) {

    public Actor actor() {
        return work.actor();
    }

    @Override
    public String toString() {
        return actor() + " " + touch + " in entry " + number + ", " + work.what();
    }
}
