/**
 * Finds accesses to memory that nothing orders. Simulated devices record in an {@link
 * dev.stowage.testkit.race.AccessLog} which stream reads and writes which bytes and which waits for which; {@link
 * dev.stowage.testkit.race.RaceDetector} says which two of them could happen at the same time and should not. What it
 * finds does not depend on how the threads happened to run.
 */
package dev.stowage.testkit.race;
