/**
 * What the vector kernels share: access to memory, widths of vectors, sums over lanes. A compiler directive matches this package and
 * those below it; they hold all code that uses vectors.
 */
package dev.stowage.cpu.kernel;
