/** The settings table (pg_settings): names, units, defaults, contexts, values in force. */
package dev.millrace.settings;
