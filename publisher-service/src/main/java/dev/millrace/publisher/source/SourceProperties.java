package dev.millrace.publisher.source;

import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Which server is read, and how ({@code millrace.source.*}).
 *
 * @param url {@code jdbc:postgresql://host:port/database?..}; without it the embedded database is
 *     the source
 * @param username may stand in the URL instead
 * @param password may stand in the URL instead
 * @param slotName the one slot kept on that server
 * @param publication the publication to read there
 * @param createPublication whether to create it for {@code tables} when it does not exist
 * @param tables names as in SQL, such as {@code public.t}; used for creating the publication only
 * @param twoPhase whether prepared transactions are taken over when they are prepared
 * @param failover whether the slot is made so that standbys keep a copy of it (PostgreSQL 17 on)
 * @param retryInterval how long to wait before connecting again
 * @param refreshInterval how often table definitions are looked up while nothing arrives
 * @param receiveTimeout how long the server may be silent, or take for connecting and for a query
 *     about the catalogue, before the connection is given up
 * @param awayTimeout how long the server may be out of reach before the publisher is not ready
 */
@ConfigurationProperties("millrace.source")
record SourceProperties(
    String url,
    String username,
    String password,
    @DefaultValue("millrace") String slotName,
    @DefaultValue("millrace") String publication,
    @DefaultValue("false") boolean createPublication,
    @DefaultValue List<String> tables,
    @DefaultValue("true") boolean twoPhase,
    @DefaultValue("false") boolean failover,
    @DefaultValue("5s") Duration retryInterval,
    @DefaultValue("10s") Duration refreshInterval,
    @DefaultValue("60s") Duration receiveTimeout,
    @DefaultValue("60s") Duration awayTimeout) {}
