/** Checks that any backend must pass, and the random graphs and reference answers they are made of. */
package dev.stowage.testkit;
