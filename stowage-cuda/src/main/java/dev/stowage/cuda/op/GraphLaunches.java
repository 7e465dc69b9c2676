package dev.stowage.cuda.op;

import dev.stowage.cuda.kernel.KernelCatalog;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchList;
import dev.stowage.device.Step;
import dev.stowage.device.fusion.ResultUses;
import dev.stowage.graph.Graph;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Op;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Turns a bound graph into launches, node by node: by a fusion that computes the node together with others, or by the
 * kernel of its op. A fusion may compute later nodes ahead of their turn where no other node notices.
 */
public final class GraphLaunches {

    private final BoundGraph bound;
    private final Graph graph;
    private final LaunchList out;
    private final boolean[] done;
    private final ResultUses uses;
    private final TokenFusion tokens;
    private final ExpertFusion experts;
    private final PromptFusion prompts;
    private final RowNumberChecks checks;
    private final Map<Op, OpKernel> kernels = StandardKernels.ofOneProgram();

    private GraphLaunches(BoundGraph bound, LaunchList out) {
        this.bound = bound;
        this.graph = bound.graph();
        this.out = out;
        this.done = new boolean[graph.nodeCount()];
        this.uses = ResultUses.of(graph);
        this.tokens = new TokenFusion(bound, done, out);
        this.experts = new ExpertFusion(bound, done, out, tokens);
        this.prompts = new PromptFusion(bound, done, out);
        this.checks = new RowNumberChecks(bound, done, out);
    }

    /** The launches of a graph whose nodes are all supported. */
    public static LaunchList of(BoundGraph bound, Gpu gpu) {
        LaunchList out = new LaunchList(gpu, KernelCatalog.standard(), bound);
        new GraphLaunches(bound, out).addAll();
        return out;
    }

    private void addAll() {
        checks.addReady();
        for (int node = 0; node < done.length; node++) {
            if (done[node]
                    || !graph.isComputed(node)
                    || graph.isViewOp(node)
                    || graph.node(node).shape().isEmpty()) {
                continue;
            }
            if (!tokens.launch(node) && !experts.launch(node) && !prompts.launch(node) && !launchPattern(node)) {
                launchSingle(node);
            }
            checks.addReady();
        }
    }

    private boolean launchPattern(int node) {
        for (CudaFusion fusion : StandardFusions.all()) {
            int count = fusion.length(uses, node);
            if (count > 0 && areOpen(node, count) && fusion.launch(bound, node, count, out)) {
                IntStream.range(node, node + count).forEach(each -> done[each] = true);
                out.endGroup(IntStream.range(node, node + count).boxed().toList());
                return true;
            }
        }
        return false;
    }

    private boolean areOpen(int first, int count) {
        return IntStream.range(first, first + count)
                .noneMatch(node -> done[node] || graph.node(node).shape().isEmpty());
    }

    private void launchSingle(int node) {
        OpKernel kernel = kernels.get(graph.op(node));
        if (kernel == null) {
            throw new IllegalStateException(
                    "there is no CUDA kernel for " + graph.node(node).describe());
        }
        kernel.launch(Step.of(bound, node), out);
        done[node] = true;
        out.endGroup(List.of(node));
    }
}
