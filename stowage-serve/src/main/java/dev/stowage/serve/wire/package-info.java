/**
 * What goes over the wire, apart from routes and from the engine: JSON, requests as records, answers, errors, events.
 */
package dev.stowage.serve.wire;
