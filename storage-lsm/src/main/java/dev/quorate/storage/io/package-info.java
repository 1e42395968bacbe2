/**
 * The disk. All access goes through {@code StorageFiles}, so that tests can substitute a failing
 * disk; no other package of this module uses {@code java.nio.channels}.
 */
package dev.quorate.storage.io;
