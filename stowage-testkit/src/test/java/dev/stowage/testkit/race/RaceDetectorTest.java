package dev.stowage.testkit.race;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

class RaceDetectorTest {

    private final AccessLog log = new AccessLog();
    private final Actor one = log.stream("one");
    private final Actor two = log.stream("two");
    private final MemorySegment memory = MemorySegment.ofArray(new byte[128]);
    private final Object event = new Object();

    private void reads(Actor actor, long from, long to) {
        access(actor, MemoryAccess.read(memory.asSlice(from, to - from), "x", "memory", from));
    }

    private void writes(Actor actor, long from, long to) {
        access(actor, MemoryAccess.write(memory.asSlice(from, to - from), "x", "memory", from));
    }

    private void access(Actor actor, MemoryAccess... accesses) {
        log.add(new LogEntry.Work(actor, "work of " + actor, List.of(accesses)));
    }

    private void signals(Actor actor) {
        log.add(new LogEntry.Signal(actor, event));
    }

    private void awaits(Actor actor) {
        log.add(new LogEntry.Wait(actor, event));
    }

    private List<Race> races() {
        return RaceDetector.races(log);
    }

    @Test
    void findsNothingInAnEmptyLog() {
        assertThat(races()).isEmpty();
    }

    @Test
    void oneStreamDoesOneThingAfterTheOther() {
        writes(one, 0, 64);
        reads(one, 0, 64);
        writes(one, 32, 96);
        assertThat(races()).isEmpty();
    }

    @Test
    void twoStreamsMayReadTheSameBytes() {
        reads(one, 0, 64);
        reads(two, 0, 64);
        assertThat(races()).isEmpty();
    }

    @Test
    void twoStreamsMayWriteOtherBytes() {
        writes(one, 0, 64);
        writes(two, 64, 128);
        assertThat(races()).isEmpty();
    }

    @Test
    void aReadWhileAnotherStreamWritesIsARace() {
        writes(one, 0, 64);
        reads(two, 32, 40);
        assertThat(races()).singleElement().satisfies(race -> {
            assertThat(race.earlier().actor()).isEqualTo(one);
            assertThat(race.later().actor()).isEqualTo(two);
            assertThat(race.bytes()).isEqualTo(8);
        });
    }

    @Test
    void aWriteWhileAnotherStreamReadsIsARace() {
        reads(one, 0, 64);
        writes(two, 60, 70);
        assertThat(races()).singleElement().extracting(Race::bytes).isEqualTo(4L);
    }

    @Test
    void aWriteWhileAnotherStreamWritesIsARace() {
        writes(one, 0, 64);
        writes(two, 0, 64);
        assertThat(races()).hasSize(1);
    }

    @Test
    void countsTheBytesOfOneRaceOnceHoweverTheyAreCutUp() {
        writes(one, 0, 8);
        writes(one, 16, 24);
        reads(two, 0, 32);
        writes(one, 0, 32);
        assertThat(races()).extracting(Race::bytes).containsExactly(8L, 8L, 32L);
    }

    @Test
    void remembersAnEarlierReadBeforeALaterOneOfAnotherStream() {
        reads(one, 0, 64);
        reads(two, 0, 64);
        signals(two);
        log.add(new LogEntry.Wait(log.host(), event));
        writes(log.host(), 0, 64);
        assertThat(races())
                .singleElement()
                .extracting(race -> race.earlier().actor())
                .isEqualTo(one);
    }

    @Test
    void submittedWorkComesAfterWhatTheHostDidBefore() {
        writes(log.host(), 0, 64);
        reads(one, 0, 64);
        assertThat(races()).isEmpty();
    }

    @Test
    void whatTheHostDoesNextDoesNotWaitForSubmittedWork() {
        reads(one, 0, 64);
        writes(log.host(), 0, 64);
        assertThat(races()).hasSize(1);
    }

    @Test
    void theHostIsOrderedAfterAStreamItHasWaitedFor() {
        reads(one, 0, 64);
        log.add(new LogEntry.Synchronize(one));
        writes(log.host(), 0, 64);
        writes(two, 0, 64);
        assertThat(races()).isEmpty();
    }

    @Test
    void aStreamIsOrderedAfterAnEventItAwaits() {
        writes(one, 0, 64);
        signals(one);
        awaits(two);
        reads(two, 0, 64);
        assertThat(races()).isEmpty();
    }

    @Test
    void anEventDoesNotCoverLaterWork() {
        signals(one);
        writes(one, 0, 64);
        awaits(two);
        reads(two, 0, 64);
        assertThat(races()).hasSize(1);
    }

    @Test
    void workSubmittedBeforeTheWaitIsNotOrderedAfterTheEvent() {
        writes(one, 0, 64);
        signals(one);
        reads(two, 0, 64);
        awaits(two);
        assertThat(races()).hasSize(1);
    }

    @Test
    void anEventThatWasNeverRecordedOrdersNothing() {
        writes(one, 0, 64);
        awaits(two);
        reads(two, 0, 64);
        assertThat(races()).hasSize(1);
    }

    @Test
    void waitingIsPassedOn() {
        Actor three = log.stream("three");
        writes(one, 0, 64);
        signals(one);
        awaits(two);
        Object second = new Object();
        log.add(new LogEntry.Signal(two, second));
        log.add(new LogEntry.Wait(three, second));
        writes(three, 0, 64);
        assertThat(races()).isEmpty();
    }

    @Test
    void arraysOfTheHeapAreDistinguished() {
        access(one, MemoryAccess.write(MemorySegment.ofArray(new byte[8]), "a", "heap", 0));
        access(two, MemoryAccess.write(MemorySegment.ofArray(new byte[8]), "b", "heap", 0));
        assertThat(races()).isEmpty();
    }

    @Test
    void saysWhoTouchesWhatAndWhatIsMissing() {
        reads(one, 0, 8);
        access(one, MemoryAccess.write(memory.asSlice(16, 16), "sum", "gpu memory", 16));
        access(two, MemoryAccess.read(memory.asSlice(24, 16), "part", "gpu memory", 24));
        assertThat(races()).singleElement().asString().isEqualTo("""
                nothing orders two accesses to the same 8 bytes:
                  one writes 'sum' (bytes 16 to 31 of gpu memory) in entry 1, work of one
                  two reads 'part' (bytes 24 to 39 of gpu memory) in entry 2, work of two
                  missing: an event of one after entry 1 that two awaits before entry 2; it had waited for the first \
                0 of 2 pieces of work that one had by then""");
    }

    @Test
    void saysThatTheHostIsToWait() {
        writes(one, 0, 8);
        reads(log.host(), 0, 8);
        assertThat(races())
                .singleElement()
                .asString()
                .contains("missing: a synchronize of one, or an event of it after entry 0 that the host waits for");
    }
}
