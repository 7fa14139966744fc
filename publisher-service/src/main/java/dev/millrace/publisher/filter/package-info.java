/**
 * Row filters of publications: H2 evaluates their expressions over the values of rows as the log
 * holds them. Knows neither tuples nor publications.
 */
package dev.millrace.publisher.filter;
