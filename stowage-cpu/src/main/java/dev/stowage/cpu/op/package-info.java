/** All kernels and fusions of the CPU backend; each family of ops has a package with one entry. */
package dev.stowage.cpu.op;
