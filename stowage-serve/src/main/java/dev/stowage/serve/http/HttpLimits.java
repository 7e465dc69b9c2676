package dev.stowage.serve.http;

import java.time.Duration;

/**
 * What a server takes from those who connect to it.
 *
 * @param connections how many connections there may be at once; others wait to be accepted
 * @param headerBytes how long the head of a request may be
 * @param bodyBytes how long the body of a request may be
 * @param allBodyBytes how long the bodies of all requests that are being answered may be together
 * @param idle how long a connection may be silent in the middle of a request, before the next one, or while it is written to.
 *     Longer than clients keep a connection for the next request, as Java's does for 30 seconds: else one may send a request
 *     over a connection that is being closed, and never hear of it
 * @param slowestBody how many bytes of a body must come in a second, once it has taken as long as a connection may be silent
 */
public record HttpLimits(
        int connections, int headerBytes, int bodyBytes, long allBodyBytes, Duration idle, int slowestBody) {

    /** 512 connections, heads of 16 KiB, bodies of 8 MiB and of 64 MiB together, 75 seconds, 256 bytes a second. */
    public static HttpLimits defaults() {
        return new HttpLimits(512, 16 << 10, 8 << 20, 64 << 20, Duration.ofSeconds(75), 256);
    }

    /** How long so many bytes of a body may take. A short one may come late: its client may have waited to be asked for it. */
    Duration longest(int bytes) {
        return idle.plusMillis(1000L * bytes / slowestBody);
    }

    public HttpLimits withIdle(Duration changed) {
        return new HttpLimits(connections, headerBytes, bodyBytes, allBodyBytes, changed, slowestBody);
    }

    public HttpLimits withConnections(int changed) {
        return new HttpLimits(changed, headerBytes, bodyBytes, allBodyBytes, idle, slowestBody);
    }

    public HttpLimits withBodyBytes(int each, long all) {
        return new HttpLimits(connections, headerBytes, each, all, idle, slowestBody);
    }
}
