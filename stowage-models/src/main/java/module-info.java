import org.jspecify.annotations.NullMarked;

/** The shapes of well-known models and the graphs they give, without their weights. */
@NullMarked
module dev.stowage.models {
    requires transitive dev.stowage.core;
    requires static org.jspecify;

    exports dev.stowage.models;
}
