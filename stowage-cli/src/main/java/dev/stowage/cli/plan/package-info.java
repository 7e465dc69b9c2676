/** {@code stowage plan}: the memory of a model, in one memory or distributed over devices. */
package dev.stowage.cli.plan;
