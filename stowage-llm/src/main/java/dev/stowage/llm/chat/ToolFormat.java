package dev.stowage.llm.chat;

import java.util.Optional;

/**
 * How a model writes the calls of tools.
 *
 * <pre>
 *   HERMES    &lt;tool_call&gt; {"name": "add", "arguments": {"a": 1}} &lt;/tool_call&gt;   Qwen, Hermes
 *   LLAMA3    {"name": "add", "parameters": {"a": 1}}                             Llama 3
 *   MISTRAL   [TOOL_CALLS] [{"name": "add", "arguments": {"a": 1}}]               Mistral
 * </pre>
 */
public enum ToolFormat {
    HERMES("<tool_call>\n", "</tool_call>", "arguments"),
    LLAMA3("", "", "parameters"),
    MISTRAL("[TOOL_CALLS]", "", "arguments");

    private final String opening;
    private final String closing;
    private final String arguments;

    ToolFormat(String opening, String closing, String arguments) {
        this.opening = opening;
        this.closing = closing;
        this.arguments = arguments;
    }

    /** What calls begin with; where a call is required, the prompt ends with it. */
    public String opening() {
        return opening;
    }

    /** What calls end with. */
    String closing() {
        return closing;
    }

    /** The name that the arguments have in a call. */
    public String arguments() {
        return arguments;
    }

    /** The format of a program in Jinja, if it shows tools to the model and has one of these. */
    static Optional<ToolFormat> of(String program) {
        if (!program.contains("tools")) {
            return Optional.empty();
        }
        if (program.contains("<tool_call>")) {
            return Optional.of(HERMES);
        }
        if (program.contains("[TOOL_CALLS]")) {
            return Optional.of(MISTRAL);
        }
        boolean llama3 = program.contains("<|start_header_id|>") && program.contains("\"parameters\"");
        return llama3 ? Optional.of(LLAMA3) : Optional.empty();
    }
}
