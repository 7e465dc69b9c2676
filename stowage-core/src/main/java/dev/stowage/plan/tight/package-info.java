/** The tight planner: chains of in-place results, packed by {@link dev.stowage.packing}. */
package dev.stowage.plan.tight;
