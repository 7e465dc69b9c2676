import org.jspecify.annotations.NullMarked;

/** Devices of other machines over llama.cpp's rpc protocol, and devices of this one lent to its clients. */
@NullMarked
module dev.stowage.rpc {
    requires transitive dev.stowage.core;
    requires dev.stowage.reference;
    requires static org.jspecify;

    exports dev.stowage.rpc.client;
    exports dev.stowage.rpc.server;
    exports dev.stowage.rpc.replay;
    exports dev.stowage.rpc.wire;

    provides dev.stowage.device.BackendProvider with
            dev.stowage.rpc.client.RpcProvider;
}
