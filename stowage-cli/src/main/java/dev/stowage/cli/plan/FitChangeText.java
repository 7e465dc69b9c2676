package dev.stowage.cli.plan;

import dev.stowage.llm.fit.FileDecoder;
import dev.stowage.llm.fit.FitChange;
import java.util.List;
import java.util.stream.Collectors;

/** A change that helps a model to fit, as options of the command line. */
final class FitChangeText {
    private FitChangeText() {}

    static String of(FitChange change, ModelArguments.Run run) {
        return switch (change) {
            case FitChange.LayersOn(List<Integer> counts) ->
                "--layers-on " + counts.stream().map(String::valueOf).collect(Collectors.joining(","));
            case FitChange.FillDevices() -> "no --layers-on";
            case FitChange.UsePlanner(var name) -> "--planner " + name;
            case FitChange.LeanPipeline() -> "--lean-pipeline";
            case FitChange.NoPipeline() -> "no --pipeline";
            case FitChange.NoOffload() -> "no --offload";
            case FitChange.FusedAttention() -> "--flash";
            case FitChange.CacheType(var type) ->
                (choosesFlash(run) ? "" : "--flash ") + "--cache-type " + type.label();
            case FitChange.Context(var tokens) -> "--ctx " + tokens;
            case FitChange.Tokens(var tokens) -> "--batch " + tokens;
            case FitChange.Images(var images) -> "--batch " + images;
            case FitChange.WeightType(var type) -> "--type " + type.label();
            case FitChange.WeightAndCacheType(var type, var cacheType) ->
                "--flash --cache-type " + cacheType.label() + " --type " + type.label();
        };
    }

    /** Files are run with flash attention by themselves where the cache is quantised, unless the user says no. */
    private static boolean choosesFlash(ModelArguments.Run run) {
        return run.how() instanceof FileDecoder && !run.plain();
    }
}
