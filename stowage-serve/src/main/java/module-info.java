import org.jspecify.annotations.NullMarked;

/** A language model over HTTP: the interface of OpenAI, that of llama-server where it has more, and a page. */
@NullMarked
@SuppressWarnings("module") // the module of the command is compiled after this one
module dev.stowage.serve {
    requires transitive dev.stowage.llm;
    requires dev.stowage.picture;
    requires org.eclipse.jetty.server;
    requires tools.jackson.core;
    requires static org.jspecify;

    exports dev.stowage.serve;
}
