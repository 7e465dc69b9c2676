package dev.stowage.testkit.backend;

/**
 * A check and how it ended.
 *
 * @param check what was checked
 * @param outcome how it ended
 */
public record CheckResult(Check check, Outcome outcome) {}
