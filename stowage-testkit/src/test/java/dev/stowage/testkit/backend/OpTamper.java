package dev.stowage.testkit.backend;

/** Computes one node wrongly. */
@FunctionalInterface
interface OpTamper {

    void compute(HostNode node);
}
