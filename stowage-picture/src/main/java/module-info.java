import org.jspecify.annotations.NullMarked;

/** Draws memory plans and packings as SVG pictures and interactive HTML pages. */
@NullMarked
module dev.stowage.picture {
    requires transitive dev.stowage.core;
    requires static org.jspecify;

    exports dev.stowage.picture;
}
