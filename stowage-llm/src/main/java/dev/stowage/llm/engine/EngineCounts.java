package dev.stowage.llm.engine;

import dev.stowage.llm.engine.EngineStatus.Counters;

/** Counts what an engine does, for {@link EngineStatus}. For the thread of the engine. */
final class EngineCounts {

    private long steps;
    private long slotSteps;
    private long promptTokens;
    private long cachedTokens;
    private long generatedTokens;
    private long promptNanos;
    private long generationNanos;
    private long finished;
    private long failed;
    private int mostTokens;

    /** How many passes there were, by which the age of what slots hold is known. */
    long steps() {
        return steps;
    }

    void step() {
        steps++;
    }

    /** A slot that took part in a pass has that many tokens now. */
    void slotStep(int tokens) {
        slotSteps++;
        mostTokens = Math.max(mostTokens, tokens);
    }

    void read(int tokens) {
        promptTokens += tokens;
    }

    void cached(int tokens) {
        cachedTokens += tokens;
    }

    void generated() {
        generatedTokens++;
    }

    /** Time that a pass took, which read prompts or did not. */
    void took(long nanos, boolean reads) {
        promptNanos += reads ? nanos : 0;
        generationNanos += reads ? 0 : nanos;
    }

    void finished() {
        finished++;
    }

    /** A request that ended as it failed. */
    void failed() {
        finished++;
        failed++;
    }

    Counters counters() {
        return new Counters(
                steps,
                slotSteps,
                promptTokens,
                cachedTokens,
                generatedTokens,
                promptNanos,
                generationNanos,
                finished,
                failed,
                mostTokens);
    }
}
