package dev.stowage.testkit.race;

/**
 * One access of a log.
 *
 * @param number where in the log it stands, counted from 0
 * @param work what it is a part of
 * @param bytes the bytes
 * @param epoch how many pieces of work its actor had done with it
 */
public record LoggedAccess(int number, LogEntry.Work work, MemoryAccess bytes, int epoch) {

    public Actor actor() {
        return work.actor();
    }

    @Override
    public String toString() {
        return actor() + " " + bytes + " in entry " + number + ", " + work.what();
    }
}
