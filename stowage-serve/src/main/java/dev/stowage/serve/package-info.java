/** A language model over HTTP ({@link dev.stowage.serve.StowageServer}). */
package dev.stowage.serve;
