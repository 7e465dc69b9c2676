/** The cost of work on each device: rates, calibration and predictions. */
package dev.stowage.schedule.cost;
