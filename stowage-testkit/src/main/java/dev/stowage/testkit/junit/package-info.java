/** The conformance suite as a JUnit test. */
package dev.stowage.testkit.junit;
