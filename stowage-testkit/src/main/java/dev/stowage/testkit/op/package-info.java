/**
 * What each op must compute: named cases with seeded inputs, a way to run them on any device, and the measure of how
 * far two results are apart.
 */
package dev.stowage.testkit.op;
