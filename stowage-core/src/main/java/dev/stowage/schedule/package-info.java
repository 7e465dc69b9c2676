/**
 * One graph over several devices: who computes what, what is copied where, and the runs themselves.
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
 * <p>Everything down to the {@link dev.stowage.schedule.Schedule} is data: it needs no backend and touches no memory.
 */
package dev.stowage.schedule;
