package dev.stowage.serve.route;

import dev.stowage.llm.engine.EngineStatus;
import dev.stowage.llm.engine.EngineStatus.Counters;
import dev.stowage.llm.engine.EngineStatus.SlotState;
import dev.stowage.llm.engine.EngineStatus.SlotStatus;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.serve.http.Exchange;
import dev.stowage.serve.wire.ApiError;
import dev.stowage.serve.wire.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What the server is and does: {@code /health}, {@code /slots}, {@code /props} and {@code /stowage/status}. */
public final class StatusRoutes {

    private final Served served;

    public StatusRoutes(Served served) {
        this.served = served;
    }

    /** That requests are taken, or why not, so that whoever watches the server starts another one. */
    public void health(Exchange exchange) throws IOException {
        served.engine().status().loss().ifPresent(loss -> {
            throw ApiError.lost(loss);
        });
        exchange.respond(Json.object("status", "ok"));
    }

    /** What every slot does. */
    public void slots(Exchange exchange) throws IOException {
        exchange.respond(slots(served.engine().status()));
    }

    private static List<Object> slots(EngineStatus status) {
        List<Object> slots = new ArrayList<>();
        for (SlotStatus slot : status.slots()) {
            boolean works = slot.state() != SlotState.IDLE;
            slots.add(Json.object(
                    "id",
                    slots.size(),
                    "id_task",
                    slot.request(),
                    "speculative",
                    false,
                    "is_processing",
                    works,
                    "state",
                    slot.state().name().toLowerCase(Locale.ROOT),
                    "n_ctx",
                    slot.limit(),
                    "n_past",
                    slot.tokens(),
                    "n_prompt_tokens",
                    slot.promptTokens(),
                    "n_prompt_tokens_processed",
                    Math.max(0, Math.min(slot.tokens(), slot.promptTokens()) - slot.cachedTokens()),
                    "n_prompt_tokens_cache",
                    slot.cachedTokens(),
                    "n_decoded",
                    slot.generatedTokens(),
                    "next_token",
                    List.of(Json.object(
                            "has_next_token",
                            works,
                            "n_remain",
                            remaining(slot),
                            "n_decoded",
                            slot.generatedTokens()))));
        }
        return slots;
    }

    /** How many tokens may still be generated; the last takes no cell. */
    private static int remaining(SlotStatus slot) {
        return Math.max(0, slot.limit() + 1 - slot.promptTokens() - slot.generatedTokens());
    }

    /** What does not change. */
    public void properties(Exchange exchange) throws IOException {
        SamplingOptions sampling = served.sampling();
        Map<String, Object> settings = Json.object(
                "temperature",
                sampling.temperature(),
                "top_k",
                sampling.topK(),
                "top_p",
                sampling.topP(),
                "min_p",
                sampling.minP(),
                "repeat_penalty",
                sampling.repetitionPenalty(),
                "repeat_last_n",
                sampling.repetitionWindow(),
                "frequency_penalty",
                sampling.frequencyPenalty(),
                "presence_penalty",
                sampling.presencePenalty());
        int slots = served.engine().status().slots().size();
        exchange.respond(Json.object(
                "default_generation_settings",
                Json.object("params", settings, "n_ctx", served.model().context() / slots),
                "total_slots",
                slots,
                "model_alias",
                served.name(),
                "n_ctx",
                served.model().context(),
                "chat_template",
                served.model().metadata().text("tokenizer.chat_template", ""),
                "chat_format",
                served.template().label(),
                "modalities",
                Json.object("vision", false, "audio", false),
                "build_info",
                "stowage",
                "memory",
                Memory.json(served)));
    }

    /** All that the page shows: slots, queue, counters and memory. */
    public void status(Exchange exchange) throws IOException {
        EngineStatus status = served.engine().status();
        Counters counters = status.counters();
        exchange.respond(Json.object(
                "model",
                served.name(),
                "template",
                served.template().label(),
                "slots",
                slots(status),
                "queued",
                status.queued(),
                "cells",
                status.cells(),
                "free_cells",
                status.freeCells(),
                "steps",
                counters.steps(),
                "prompt_tokens",
                counters.promptTokens(),
                "cached_tokens",
                counters.cachedTokens(),
                "generated_tokens",
                counters.generatedTokens(),
                "finished",
                counters.finished(),
                "failed",
                counters.failed(),
                "memory",
                Memory.json(served)));
    }
}
