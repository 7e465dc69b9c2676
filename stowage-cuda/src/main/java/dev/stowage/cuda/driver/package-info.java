/** The CUDA driver, called through the foreign function interface. */
@NullMarked
package dev.stowage.cuda.driver;

import org.jspecify.annotations.NullMarked;
