/** Output that all commands share: byte sizes, tables, progress, files and failures. */
package dev.stowage.cli.text;
