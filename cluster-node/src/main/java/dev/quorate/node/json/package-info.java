/** Writes JSON: objects by Gson, and keys and values that are bytes. */
package dev.quorate.node.json;
