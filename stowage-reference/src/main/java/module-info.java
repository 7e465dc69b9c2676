import org.jspecify.annotations.NullMarked;

/** Every op in plain scalar Java, which faster backends are held against, and the quantised block formats. */
@NullMarked
@SuppressWarnings("module") // the module that may see the packing of bits is compiled after this one
module dev.stowage.reference {
    requires transitive dev.stowage.core;
    requires jdk.management;
    requires static org.jspecify;

    exports dev.stowage.reference;
    exports dev.stowage.reference.quant;
    exports dev.stowage.reference.quant.bits to
            dev.stowage.cpu;

    provides dev.stowage.device.BackendProvider with
            dev.stowage.reference.ReferenceProvider;
}
