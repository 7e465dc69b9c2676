/** A CUDA driver without a GPU, which records what it is asked to do. */
@NullMarked
package dev.stowage.cuda.recording;

import org.jspecify.annotations.NullMarked;
