/** {@code stowage pack}: offsets for the buffers of a CSV file. */
package dev.stowage.cli.pack;
