/** How long it takes to spread a graph over devices, to give it memory there, and to run it where nothing is computed. */
package dev.stowage.bench.schedule;
