/** NVIDIA GPUs as devices. */
@NullMarked
package dev.stowage.cuda;

import org.jspecify.annotations.NullMarked;
