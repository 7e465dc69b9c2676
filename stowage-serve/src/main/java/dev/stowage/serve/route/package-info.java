/** What the server answers, a class for each route or few. */
package dev.stowage.serve.route;
