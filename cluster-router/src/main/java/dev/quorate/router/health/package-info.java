/** The observed health of peers, and breakers, which decide whether peers are asked. */
package dev.quorate.router.health;
