import org.jspecify.annotations.NullMarked;

/** Every op in plain scalar Java, which faster backends are held against, and the quantised block formats. */
@NullMarked
module dev.stowage.reference {
    requires transitive dev.stowage.core;
    requires jdk.management;
    requires static org.jspecify;

    exports dev.stowage.reference;
    exports dev.stowage.reference.quant;

    provides dev.stowage.device.BackendProvider with
            dev.stowage.reference.ReferenceProvider;
}
