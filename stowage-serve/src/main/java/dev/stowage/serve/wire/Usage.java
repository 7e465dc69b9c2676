package dev.stowage.serve.wire;

import java.util.Map;

/**
 * How many tokens an answer took.
 *
 * @param prompt tokens of the prompt
 * @param cached how many of these were in the cache already
 * @param completion tokens that were generated
 */
public record Usage(int prompt, int cached, int completion) {

    Map<String, Object> json() {
        return Json.object(
                "prompt_tokens",
                prompt,
                "completion_tokens",
                completion,
                "total_tokens",
                prompt + completion,
                "prompt_tokens_details",
                Json.object("cached_tokens", cached));
    }
}
