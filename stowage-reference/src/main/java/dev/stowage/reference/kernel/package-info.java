/** What the kernels of the reference share: the interface of a kernel, elements by index, checks of types. */
package dev.stowage.reference.kernel;
