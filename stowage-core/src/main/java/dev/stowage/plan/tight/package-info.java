/** The tight planner: results computed in place are joined to chains, and the chains are packed by {@link dev.stowage.packing}. */
package dev.stowage.plan.tight;
