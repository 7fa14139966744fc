/**
 * What the scripts in bin/ run: the demonstration and the benchmark, both over the built jars and
 * the public interfaces.
 */
package dev.millrace.tools;
