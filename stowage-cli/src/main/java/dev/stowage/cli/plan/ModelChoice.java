package dev.stowage.cli.plan;

import dev.stowage.models.ModelShape;
import java.nio.file.Path;

/** Which model is meant on the command line. */
sealed interface ModelChoice {
    /** A model known by name. */
    record Named(ModelShape shape) implements ModelChoice {}

    /** A model in a GGUF file. */
    record InFile(Path file) implements ModelChoice {}
}
