/** What the interface of devices costs by itself. */
package dev.stowage.bench.device;
