/**
 * The commands of a client, such as {@code get}, {@code put}, {@code scan}, {@code status}, {@code
 * export} and {@code import}.
 */
package dev.quorate.cli.client;
