/**
 * Whether a model fits, and where its layers go: planned from the head of a file, before anything is loaded.
 *
 * {@snippet class="dev.stowage.llm.SnippetTest" region="fit"}
 *
 * <p>A {@link dev.stowage.llm.fit.Workload} is a model and how it is run, a {@link dev.stowage.llm.fit.DeviceBudget} a
 * device and the bytes a model may take there. A {@link dev.stowage.llm.fit.DevicePlanner} makes of the two a {@link
 * dev.stowage.llm.fit.DevicePlan}: which layers are where, and what each device holds. {@code LanguageModel.open}
 * places models with the same planner. Every plan is a function of what it is made from: tensors are built anew for
 * each, and nothing the caller has is changed.
 */
package dev.stowage.llm.fit;
