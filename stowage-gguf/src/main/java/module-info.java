import org.jspecify.annotations.NullMarked;

/** GGUF model files: read in place, written, and quantised. */
@NullMarked
module dev.stowage.gguf {
    requires transitive dev.stowage.core;
    requires dev.stowage.reference;
    requires static org.jspecify;

    exports dev.stowage.gguf;
    exports dev.stowage.gguf.quantize;
}
