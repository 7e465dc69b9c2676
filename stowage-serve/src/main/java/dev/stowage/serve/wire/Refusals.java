package dev.stowage.serve.wire;

import java.util.List;

/**
 * Fields that would change the answer and cannot be honoured. They are refused, where fields that nobody here knows are
 * ignored: a client must not take an answer for what it asked for when it is not.
 */
final class Refusals {

    private Refusals() {}

    static void ofChats(JsonObject body) {
        refuseLists(body, "functions");
        refuse(body, "audio");
        body.list("modalities").ifPresent(given -> {
            if (!given.equals(List.of("text"))) {
                throw ApiError.invalid("modalities", "'modalities' must be [\"text\"]: this model writes text only");
            }
        });
    }

    static void ofTexts(JsonObject body) {
        if (body.flag("echo").orElse(false)) {
            throw ApiError.invalid("echo", "'echo' is not supported: the prompt is known to whoever sends it");
        }
        if (!body.text("suffix").orElse("").isEmpty()) {
            throw ApiError.invalid(
                    "suffix", "'suffix' is not supported: this server continues texts and fills no gaps");
        }
    }

    private static void refuseLists(JsonObject body, String... names) {
        for (String name : names) {
            if (body.list(name).filter(list -> !list.isEmpty()).isPresent()) {
                throw ApiError.invalid(name, "'" + name + "' is not supported by this server");
            }
        }
    }

    private static void refuse(JsonObject body, String name) {
        if (body.value(name).isPresent()) {
            throw ApiError.invalid(name, "'" + name + "' is not supported by this server");
        }
    }
}
