/** A free list that gives and takes back ranges of bytes as ggml's dynamic tensor allocator does. */
package dev.stowage.plan.freelist;
