/** Node orders that need less memory: {@link dev.stowage.plan.order.Reordering}. */
package dev.stowage.plan.order;
