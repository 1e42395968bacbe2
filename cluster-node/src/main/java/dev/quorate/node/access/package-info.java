/**
 * Access control: roles, access tokens and the file that lists them. Decides only: the package
 * {@code api} calls it for each request, and the composition root reads the file.
 */
package dev.quorate.node.access;
