/**
 * Pictures of plans and packings: {@link dev.stowage.picture.PlanPicture} draws a memory plan as SVG or as a page that can be
 * explored in a browser, {@link dev.stowage.picture.SolutionPicture} draws a packing. Time runs to the right, addresses
 * upwards.
 */
package dev.stowage.picture;
