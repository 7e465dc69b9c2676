/** The packers: greedy orders, repair of orders, and an exact search over skylines. */
package dev.stowage.packing.search;
