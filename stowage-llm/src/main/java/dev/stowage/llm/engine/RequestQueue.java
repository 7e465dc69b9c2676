package dev.stowage.llm.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Requests that wait for a slot: those of the highest priority first, and of one priority in the order they came. */
final class RequestQueue {

    private final PriorityQueue<Job> jobs = new PriorityQueue<>(
            Comparator.<Job>comparingLong(job -> -(long) job.request().priority())
                    .thenComparingLong(job -> job.completion().number()));

    int size() {
        return jobs.size();
    }

    void add(Job job) {
        jobs.add(job);
    }

    /** The first; null if there is none. */
    @Nullable
    Job first() {
        return jobs.peek();
    }

    void removeFirst() {
        jobs.remove();
    }

    /** Takes out all for which something holds. */
    List<Job> removeIf(Predicate<Job> condition) {
        List<Job> removed = new ArrayList<>();
        for (Iterator<Job> each = jobs.iterator(); each.hasNext(); ) {
            Job job = each.next();
            if (condition.test(job)) {
                each.remove();
                removed.add(job);
            }
        }
        return removed;
    }
}
