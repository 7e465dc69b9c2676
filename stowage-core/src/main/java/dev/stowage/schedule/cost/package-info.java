/** What work costs on each device: rates, their calibration by measuring, and predictions. */
package dev.stowage.schedule.cost;
