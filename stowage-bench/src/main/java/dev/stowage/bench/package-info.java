/** JMH benchmarks: each compares, in one run and on the same work, this library and an alternative. */
package dev.stowage.bench;
