/** Which tasks attention becomes: for small batches of queries, and for blocks of them. */
package dev.stowage.cpu.op.attention;
