import org.jspecify.annotations.NullMarked;

/** Models of LangChain4j that run in this process. */
@NullMarked
module dev.stowage.langchain4j {
    requires transitive dev.stowage.llm;
    requires transitive langchain4j.core;
    requires static org.jspecify;

    exports dev.stowage.langchain4j;
}
