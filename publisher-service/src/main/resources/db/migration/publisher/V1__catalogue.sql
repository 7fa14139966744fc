-- The catalogue's projection: what the log's CATALOG records said, as far back as slots need.

create table catalog_version (
    object     char(1)       not null, -- r table, s schema, p publication
    oid        integer       not null,
    since_lsn  bigint        not null, -- end of the commit record that made it
    dropped    boolean       not null,
    schema_name varchar(256),          -- of a table
    name       varchar(256),           -- null for a drop
    definition varchar       not null, -- JSON as in the log record
    constraint catalog_version_pkey primary key (object, oid, since_lsn)
);
create index catalog_version_since on catalog_version (since_lsn);

create table catalog_position (
    id          integer not null,
    oldest_lsn  bigint  not null, -- nothing before it can be asked for
    applied_lsn bigint  not null, -- everything committed up to here is in catalog_version
    constraint catalog_position_pkey primary key (id),
    constraint catalog_position_single check (id = 1)
);
insert into catalog_position (id, oldest_lsn, applied_lsn) values (1, 0, 0);

-- What is there now, for people who look into the file.
create view current_objects as
select v.object, v.oid, v.schema_name, v.name, v.since_lsn, v.definition
from catalog_version v
where not v.dropped
  and v.since_lsn = (select max(n.since_lsn) from catalog_version n where n.object = v.object and n.oid = v.oid);
