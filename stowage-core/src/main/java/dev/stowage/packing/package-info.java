/**
 * Packing of buffers with given lifetimes into memory, independent of tensors.
 *
 * <p>A {@link dev.stowage.packing.Problem} is a list of rectangles with a fixed place in time and a free one in memory.
 * A {@link dev.stowage.packing.Solution} gives each an offset; its height is the memory needed.
 *
 * <pre>
 *   memory ▲
 *   height ┼┄┄┄┄┄┄┌─────────┐┄┄      offsets are chosen, lifetimes are not
 *          │ ┌────┤    c    │
 *          │ │ b  ├───┬─────┤        a and d may share bytes:
 *          │ ├────┤ a │  d  │        they are never live together
 *          └─┴────┴───┴─────┴──► time
 * </pre>
 *
 * {@snippet class="dev.stowage.packing.PackingSnippetTest" region="pack"}
 *
 * <table>
 * <caption>Which packer</caption>
 * <tr><th>name</th><th>what it does</th></tr>
 * <tr><td>{@code ggml}</td><td>execution order, best fit: what an allocator at run time would do</td></tr>
 * <tr><td>{@code size}, {@code area}, {@code lifetime}, {@code conflicts}</td><td>one greedy pass in that order</td></tr>
 * <tr><td>{@code best}</td><td>the best of these</td></tr>
 * <tr><td>{@code exact}</td><td>searches until a height is proven optimal or impossible</td></tr>
 * <tr><td>{@code anytime}</td><td>a good solution at once, better ones until the budget ends; the default</td></tr>
 * </table>
 */
package dev.stowage.packing;
