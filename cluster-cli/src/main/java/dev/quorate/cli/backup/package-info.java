/**
 * The commands {@code backup} and {@code restore}: a backup is the checkpoints of all members, file
 * by file, and is restored as ordinary writes.
 *
 * <p>{@link dev.quorate.cli.backup.BackupFolder} has the backups of a folder, {@link
 * dev.quorate.cli.backup.BackupRun} adds one, and {@link dev.quorate.cli.backup.NodeCopy} copies
 * the files of one node.
 */
package dev.quorate.cli.backup;
