package dev.stowage.cli;

import java.lang.module.ModuleDescriptor;
import java.util.Optional;
import picocli.CommandLine.IVersionProvider;

/** The version the build recorded in the module descriptor, so that it is written down nowhere else. */
final class VersionProvider implements IVersionProvider {
    @Override
    public String[] getVersion() {
        // No descriptor when the jar is run from the class path.
        String version = Optional.ofNullable(VersionProvider.class.getModule().getDescriptor())
                .flatMap(ModuleDescriptor::rawVersion)
                .orElse("(unknown version)");
        return new String[] {"stowage " + version, "Java " + Runtime.version()};
    }
}
