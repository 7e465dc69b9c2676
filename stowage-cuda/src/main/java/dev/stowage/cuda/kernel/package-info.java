/** Compiled kernels: their signatures, images and loading. */
@NullMarked
package dev.stowage.cuda.kernel;

import org.jspecify.annotations.NullMarked;
