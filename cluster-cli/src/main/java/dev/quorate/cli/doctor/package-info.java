/**
 * The command {@code doctor}: what is wrong with a cluster, in words, and which section of {@code
 * docs/runbook.md} helps.
 *
 * <p>{@link dev.quorate.cli.doctor.NodeReport} is what a node says, {@link
 * dev.quorate.cli.doctor.Diagnosis} decides, and {@link dev.quorate.cli.doctor.DoctorCommand} asks
 * and prints. Allowed imports: the JDK, {@code cli.client}, {@code node.http}'s JSON, {@code
 * node.runtime}, picocli.
 */
@NullMarked
package dev.quorate.cli.doctor;

import org.jspecify.annotations.NullMarked;
