import org.jspecify.annotations.NullMarked;

/** The {@code stowage} command. */
@NullMarked
module dev.stowage.cli {
    requires dev.stowage.core;
    requires dev.stowage.models;
    // Brings the device that is always there.
    requires dev.stowage.reference;
    requires dev.stowage.testkit;
    requires info.picocli;
    requires static org.jspecify;

    // picocli reads the annotated fields of the commands.
    opens dev.stowage.cli to
            info.picocli;
}
