/** Options that several commands share, and the converters that parse option values. */
package dev.stowage.cli.option;
