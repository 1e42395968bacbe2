/** Non-blocking connections with one outstanding request each, and parsers of their answers. */
package dev.quorate.loadtest.http;
