package dev.stowage.rpc.client;

import dev.stowage.device.OpSupport;
import dev.stowage.tensor.Tensor;
import java.time.Duration;
import java.util.function.Function;

/**
 * What a client asks of its servers.
 *
 * @param connectLimit how long it waits for a connection
 * @param transferLimit how long for one message, and so for the longest graph that a server computes before it answers
 * @param claims which nodes it sends, of those that a message can describe. A server cannot be asked, and llama.cpp's ends
 *     when it lacks an op; by default these are the ops of language models that all of its backends have, and a few more on processors
 * @param cache whether servers are asked for weights that they have kept
 */
public record RpcClientOptions(
        Duration connectLimit, Duration transferLimit, Function<Tensor, OpSupport> claims, CacheUse cache) {

    private static final Function<Tensor, OpSupport> COMMON = CommonOps::supports;

    /** 5 seconds to connect, 10 minutes for a message, the ops that every backend of llama.cpp has, and kept weights. */
    public static RpcClientOptions defaults() {
        return new RpcClientOptions(Duration.ofSeconds(5), Duration.ofMinutes(10), COMMON, CacheUse.AUTO);
    }

    /** What is sent to a device: more than the default where it is a processor, and nothing has been chosen. */
    Function<Tensor, OpSupport> claims(boolean processor) {
        return processor && claims.equals(COMMON) ? CommonOps::supportsOnProcessor : claims;
    }

    public RpcClientOptions withConnectLimit(Duration newLimit) {
        return new RpcClientOptions(newLimit, transferLimit, claims, cache);
    }

    public RpcClientOptions withTransferLimit(Duration newLimit) {
        return new RpcClientOptions(connectLimit, newLimit, claims, cache);
    }

    /** Other nodes, for servers that are known to compute them. */
    public RpcClientOptions withClaims(Function<Tensor, OpSupport> newClaims) {
        return new RpcClientOptions(connectLimit, transferLimit, newClaims, cache);
    }

    public RpcClientOptions withCache(CacheUse newCache) {
        return new RpcClientOptions(connectLimit, transferLimit, claims, newCache);
    }
}
