/**
 * The command {@code doctor}: prints problems of a cluster, each with a section of {@code
 * docs/runbook.md} that helps.
 *
 * <p>{@link dev.quorate.cli.doctor.NodeInterview} asks a node, {@link
 * dev.quorate.cli.doctor.Diagnosis} finds problems, and {@link
 * dev.quorate.cli.doctor.DoctorCommand} prints them.
 */
package dev.quorate.cli.doctor;
