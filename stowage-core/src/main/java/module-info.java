import org.jspecify.annotations.NullMarked;

/** Plans the memory of tensor computation graphs and runs them over the devices of a machine. */
@NullMarked
@SuppressWarnings("module") // the modules that may see the internals are compiled after this one
module dev.stowage.core {
    requires jdk.jfr;
    requires static org.jspecify;

    exports dev.stowage.error;
    exports dev.stowage.tensor;
    exports dev.stowage.graph;
    exports dev.stowage.memory;
    exports dev.stowage.packing;
    exports dev.stowage.plan;
    exports dev.stowage.plan.order;
    exports dev.stowage.device;
    exports dev.stowage.device.compare;
    exports dev.stowage.device.fusion;
    exports dev.stowage.schedule;
    exports dev.stowage.schedule.cost;
    exports dev.stowage.profile;
    // Graphs made from other graphs, for the placement of models; not an API.
    exports dev.stowage.graph.wiring to
            dev.stowage.llm;
    // Drivers that fail on purpose, for checks on real hardware; not an API.
    exports dev.stowage.device.fault to
            dev.stowage.cli,
            dev.stowage.cuda;
    exports dev.stowage.internal to
            dev.stowage.bench,
            dev.stowage.cli,
            dev.stowage.gguf,
            dev.stowage.llm,
            dev.stowage.picture,
            dev.stowage.testkit;
    exports dev.stowage.internal.json to
            dev.stowage.bench,
            dev.stowage.cli,
            dev.stowage.llm,
            dev.stowage.picture,
            dev.stowage.testkit;

    uses dev.stowage.device.BackendProvider;
}
