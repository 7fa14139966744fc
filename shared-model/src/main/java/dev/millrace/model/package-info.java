/** The words every part of Millrace speaks: positions, names, types, table definitions, errors. */
package dev.millrace.model;
