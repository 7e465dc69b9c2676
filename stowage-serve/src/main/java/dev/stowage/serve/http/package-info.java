/** HTTP, by Jetty: connections and their limits, who may come in, exchanges of a request and its answer. */
package dev.stowage.serve.http;
