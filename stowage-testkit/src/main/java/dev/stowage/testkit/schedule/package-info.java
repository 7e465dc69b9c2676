/**
 * Random work for schedulers: {@linkplain dev.stowage.testkit.schedule.RandomProgram graphs} that can be computed and
 * {@linkplain dev.stowage.testkit.schedule.RandomDevices devices} to spread them over, the same for the same seed.
 */
package dev.stowage.testkit.schedule;
