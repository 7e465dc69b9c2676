/** The search for an assignment with a lower predicted time than that of the passes. */
package dev.stowage.schedule.search;
