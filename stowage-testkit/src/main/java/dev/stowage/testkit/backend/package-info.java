/**
 * The conformance suite: what every device and backend must do, as checks that can be run one by one, and the report of
 * a run.
 */
package dev.stowage.testkit.backend;
