/**
 * Reads parameters, headers and roles of a request, and refuses invalid requests before any work.
 */
package dev.quorate.node.api.request;
