-- Why disable_on_error has disabled a subscription, until it is enabled again: text, time, and the finish LSN of the
-- transaction (0: none was being applied).
alter table millrace.subscription add column errormessage varchar;
alter table millrace.subscription add column errortime timestamp with time zone;
alter table millrace.subscription add column errorlsn bigint default 0 not null;
