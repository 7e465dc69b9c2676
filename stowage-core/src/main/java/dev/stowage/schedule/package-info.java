/**
 * Scheduling of a graph over several devices ({@code ggml_backend_sched}): assignment, splits, copies and runs.
 *
 * <pre>
 *   ScheduleRequest ──► Placement ──► Assignment ──► splits, copies ──► MemoryPlan
 *     graph, devices     four passes   a device and    a fifth pass       a place in each
 *     options            or a search   a reason each                      device's memory
 *                                      └──────────────── Schedule ────────────────┘
 *                                                           │
 *                                       Scheduler: binds it to memory, and runs it split by split
 * </pre>
 *
 * <p>Everything up to the {@link dev.stowage.schedule.Schedule} is plain data that needs no backend and no memory.
 */
package dev.stowage.schedule;
