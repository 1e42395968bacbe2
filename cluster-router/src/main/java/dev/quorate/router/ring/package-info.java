/** The ring, which maps ranges of tokens to members. */
package dev.quorate.router.ring;
