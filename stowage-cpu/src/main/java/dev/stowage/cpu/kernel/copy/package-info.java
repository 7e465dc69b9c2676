/** Elements moved with strides, and added up in place. */
package dev.stowage.cpu.kernel.copy;
