/**
 * Who may do what: roles, access tokens and the file that lists them. Decides only; the package
 * {@code api} asks it about each request, and the composition root reads the file.
 */
@NullMarked
package dev.quorate.node.access;

import org.jspecify.annotations.NullMarked;
