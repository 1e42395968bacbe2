/**
 * The command {@code doctor}: what is wrong with a cluster, in words, and which section of {@code
 * docs/runbook.md} helps.
 *
 * <p>{@link dev.quorate.cli.doctor.NodeReport} is what a node says, {@link
 * dev.quorate.cli.doctor.Diagnosis} decides, and {@link dev.quorate.cli.doctor.DoctorCommand} asks
 * and prints.
 */
@NullMarked
package dev.quorate.cli.doctor;

import org.jspecify.annotations.NullMarked;
