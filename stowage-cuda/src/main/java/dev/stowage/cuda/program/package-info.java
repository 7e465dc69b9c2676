/** What a graph becomes: launches, scratch memory, captured graphs. */
@NullMarked
package dev.stowage.cuda.program;

import org.jspecify.annotations.NullMarked;
