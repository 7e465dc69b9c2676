/** The search for an assignment that is predicted to take less time than that of the passes. */
package dev.stowage.schedule.search;
