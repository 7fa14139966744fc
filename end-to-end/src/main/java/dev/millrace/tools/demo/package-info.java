/** {@code bin/demo}: the main job from an empty directory to equal tables, shown step by step. */
package dev.millrace.tools.demo;
