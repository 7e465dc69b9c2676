package dev.stowage.cli.inspect;

import dev.stowage.cli.option.ModelFile;
import dev.stowage.gguf.GgufContents;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows what a GGUF file says of itself. */
@Command(
        name = "inspect",
        description = {
            "Show what is in a GGUF file: metadata, types, sizes, parameters.",
            "Only the head of the file is read, so that the rest may still be missing. Of a split model any part can be"
                    + " named, and all of them are shown as one."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  stowage inspect model.gguf",
            "  stowage inspect model.gguf --tensors        every tensor, with type, shape and size",
            "  stowage inspect model-00001-of-00003.gguf --json"
        })
public final class InspectCommand implements Runnable {

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE.gguf", description = "The model.")
    private String file;

    @Option(names = "--tensors", description = "List the tensors too.")
    private boolean tensors;

    @Option(names = "--json", description = "Print one JSON object, with all sizes in bytes and all arrays in full.")
    private boolean json;

    @Override
    public void run() {
        GgufContents contents = GgufContents.read(ModelFile.of(file));
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            InspectJson.print(contents, tensors, out);
        } else {
            new InspectText(contents, out).print(tensors);
        }
        out.flush();
    }
}
