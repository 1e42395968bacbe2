/** Every fault of an embedded cluster is shown to have its effect. */
@NullMarked
package dev.quorate.testkit.cluster;

import org.jspecify.annotations.NullMarked;
