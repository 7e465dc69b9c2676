/** Orders of the nodes of a graph in which less memory is live at once: {@link dev.stowage.plan.order.Reordering}. */
package dev.stowage.plan.order;
