/**
 * Pictures of plans and packings: {@link dev.stowage.picture.PlanPicture} draws a memory plan as SVG or as an
 * interactive page, {@link dev.stowage.picture.SolutionPicture} draws a packing. Time runs to the right, addresses
 * upwards.
 */
package dev.stowage.picture;
