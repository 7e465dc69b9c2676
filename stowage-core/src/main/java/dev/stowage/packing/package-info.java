/**
 * Packing buffers into memory, with no tensor in sight: who is live when is given, where everything lies is asked.
 *
 * <p>A {@link dev.stowage.packing.Problem} is a list of rectangles whose place in time is fixed and whose place in memory
 * is free. A {@link dev.stowage.packing.Solution} gives every one an offset; its height is the memory it takes.
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
 * {@snippet :
 * Problem problem = Problem.builder()
 *         .add("a", 0, 3, 4096)
 *         .add("b", 3, 9, 4096)
 *         .addAligned("c", 0, 9, 1000, 256)
 *         .build();
 *
 * PackingResult result = Packers.named("anytime").pack(problem, Budget.steps(100_000));
 * long bytes = result.height(); // result.isOptimal() says whether nothing smaller exists
 * }
 *
 * <table>
 * <caption>Which packer</caption>
 * <tr><th>name</th><th>what it does</th></tr>
 * <tr><td>{@code ggml}</td><td>execution order, best fitting free block: what an allocator at run time would do</td></tr>
 * <tr><td>{@code size}, {@code area}, {@code lifetime}, {@code conflicts}</td><td>one greedy pass in that order</td></tr>
 * <tr><td>{@code best}</td><td>the best of these</td></tr>
 * <tr><td>{@code exact}</td><td>searches until a height is proven to be the smallest, or out of reach</td></tr>
 * <tr><td>{@code anytime}</td><td>a good answer at once, better ones until the budget ends; the one to take</td></tr>
 * </table>
 */
package dev.stowage.packing;
