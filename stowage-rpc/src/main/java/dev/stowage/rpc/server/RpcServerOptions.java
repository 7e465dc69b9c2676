package dev.stowage.rpc.server;

import dev.stowage.device.Device;
import dev.stowage.error.DeviceException;
import dev.stowage.rpc.wire.Dialect;
import java.time.Duration;
import java.util.List;

/**
 * What an {@link RpcServer} lends, where, and how much of it.
 *
 * @param devices in the order in which clients see them
 * @param host the address to listen on; only programs of this machine reach the default
 * @param port 0 for any that is free
 * @param dialect the version that clients are told
 * @param memory the most bytes of buffers that one client may have
 * @param threads the threads of a device that has threads; 0 for its default
 * @param transferLimit how long one message may take
 */
public record RpcServerOptions(
        List<Device> devices,
        String host,
        int port,
        Dialect dialect,
        long memory,
        int threads,
        Duration transferLimit) {

    /** The port of llama.cpp's server. */
    public static final int STANDARD_PORT = 50052;

    private static final Duration TRANSFER_LIMIT = Duration.ofMinutes(1);

    public RpcServerOptions {
        devices = List.copyOf(devices);
        if (devices.isEmpty()) {
            throw DeviceException.of("rpc", "serve", "there is no device to lend");
        }
        if (memory <= 0) {
            throw DeviceException.of(
                    "rpc", "serve", "a client may have " + memory + " bytes of memory: give it more than 0");
        }
    }

    /** These devices, on the standard port of this machine, without a limit on memory. */
    public static RpcServerOptions of(List<? extends Device> devices) {
        return new RpcServerOptions(
                List.copyOf(devices), "127.0.0.1", STANDARD_PORT, Dialect.DEFAULT, Long.MAX_VALUE, 0, TRANSFER_LIMIT);
    }

    public RpcServerOptions withHost(String newHost) {
        return new RpcServerOptions(devices, newHost, port, dialect, memory, threads, transferLimit);
    }

    public RpcServerOptions withPort(int newPort) {
        return new RpcServerOptions(devices, host, newPort, dialect, memory, threads, transferLimit);
    }

    public RpcServerOptions withDialect(Dialect newDialect) {
        return new RpcServerOptions(devices, host, port, newDialect, memory, threads, transferLimit);
    }

    public RpcServerOptions withMemory(long newMemory) {
        return new RpcServerOptions(devices, host, port, dialect, newMemory, threads, transferLimit);
    }

    public RpcServerOptions withThreads(int newThreads) {
        return new RpcServerOptions(devices, host, port, dialect, memory, newThreads, transferLimit);
    }

    public RpcServerOptions withTransferLimit(Duration newLimit) {
        return new RpcServerOptions(devices, host, port, dialect, memory, threads, newLimit);
    }
}
