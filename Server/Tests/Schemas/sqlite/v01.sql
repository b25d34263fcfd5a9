-- The schema of version 1 as the program of that time made it (commit 365cccf), with typical rows.
CREATE TABLE admin_keys (
id INTEGER PRIMARY KEY AUTOINCREMENT, key_hash BLOB NOT NULL UNIQUE, app_id BIGINT NOT NULL,
scopes TEXT NOT NULL, created_at BIGINT NOT NULL, revoked_at BIGINT);
INSERT INTO "admin_keys" VALUES(1,X'ABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABAB',1,'admin',1795262400000,NULL);
CREATE TABLE apps (
id INTEGER PRIMARY KEY AUTOINCREMENT, code TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
settings TEXT NOT NULL, created_at BIGINT NOT NULL);
INSERT INTO "apps" VALUES(1,'shop','Shop','{"timeZone":"Europe/Paris"}',1795262400000);
INSERT INTO "apps" VALUES(2,'other','Other','{}',1795262400000);
CREATE TABLE attributes (
app_id BIGINT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL, created_at BIGINT NOT NULL,
PRIMARY KEY (app_id, name));
INSERT INTO "attributes" VALUES(1,'age','number',1795262400000);
INSERT INTO "attributes" VALUES(1,'born','date',1795262400000);
INSERT INTO "attributes" VALUES(1,'city','string',1795262400000);
CREATE TABLE audit_log (
id INTEGER PRIMARY KEY AUTOINCREMENT, at BIGINT NOT NULL, actor TEXT NOT NULL, app TEXT, action TEXT NOT NULL,
target TEXT);
INSERT INTO "audit_log" VALUES(1,1795262400000,'root','shop','campaign.launch','1');
INSERT INTO "audit_log" VALUES(2,1795262400001,'root','shop','device.revoke','00000000-0000-4000-8000-000000000002');
CREATE TABLE batches (
campaign_id BIGINT NOT NULL, number BIGINT NOT NULL, first_device BIGINT NOT NULL,
last_device BIGINT NOT NULL, available_at BIGINT NOT NULL, lease_owner TEXT, lease_until BIGINT NOT NULL,
PRIMARY KEY (campaign_id, number));
INSERT INTO "batches" VALUES(2,1,1,2,1795262400000,'w',1795262400000);
CREATE TABLE campaigns (
id INTEGER PRIMARY KEY AUTOINCREMENT, app_id BIGINT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
content TEXT NOT NULL, status TEXT NOT NULL, status_reason TEXT, created_at BIGINT NOT NULL,
launched_at BIGINT, ended_at BIGINT, retries_from BIGINT, planned_to BIGINT NOT NULL,
plan_end BIGINT NOT NULL, planned BIGINT NOT NULL, watch TEXT);
INSERT INTO "campaigns" VALUES(1,1,'Sale','push','{"name": "Sale", "kind": "push", "audience": {"everyone": true}, "push": {"title": "Sale {{name}}", "body": "Today; it''s on"}}','completed',NULL,1795262400000,1795262400000,1795262400009,1795262400000,2,2,1,NULL);
INSERT INTO "campaigns" VALUES(2,1,'Sale','push','{"name": "Sale", "kind": "push", "audience": {"everyone": true}, "push": {"title": "Sale {{name}}", "body": "Today; it''s on"}}','sending',NULL,1795262400000,1795262400000,NULL,NULL,2,2,1,'{"answers":1,"malformedTokens":0,"topicFaults":0}');
CREATE TABLE contact_tags (
contact_id BIGINT NOT NULL, tag TEXT NOT NULL, device_id BIGINT NOT NULL,
PRIMARY KEY (contact_id, tag, device_id)) WITHOUT ROWID;
INSERT INTO "contact_tags" VALUES(1,'sports',1);
CREATE TABLE contacts (
id INTEGER PRIMARY KEY AUTOINCREMENT, app_id BIGINT NOT NULL, contact_key TEXT NOT NULL, known BIGINT NOT NULL,
attributes TEXT NOT NULL, party TEXT, last_opened_at BIGINT, created_at BIGINT NOT NULL,
updated_at BIGINT NOT NULL, UNIQUE (app_id, contact_key));
INSERT INTO "contacts" VALUES(1,1,'anna',1,'{"age":31,"born":"1990-05-29T00:00:00.000Z","city":"Paris"}','{"type":"erp","name":"a","number":"4711"}',1795262400000,1795262400000,1795262400000);
INSERT INTO "contacts" VALUES(2,1,'anonymous-2',0,'{}',NULL,NULL,1795262400000,1795262400000);
INSERT INTO "contacts" VALUES(3,1,'left',1,'{"city":"Oslo"}',NULL,NULL,1795262400000,1795262400000);
CREATE TABLE credentials (
app_id BIGINT NOT NULL, provider TEXT NOT NULL, sealed BLOB NOT NULL,
revision BIGINT NOT NULL, updated_at BIGINT NOT NULL, PRIMARY KEY (app_id, provider));
INSERT INTO "credentials" VALUES(1,'apns',X'00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF',1,1795262400000);
CREATE TABLE deliveries (
campaign_id BIGINT NOT NULL, device_id BIGINT NOT NULL, contact_id BIGINT, state TEXT NOT NULL,
reason TEXT, attempts BIGINT NOT NULL, retry_at BIGINT, note TEXT, updated_at BIGINT NOT NULL,
received_at BIGINT, displayed_at BIGINT, opened_at BIGINT, dismissed_at BIGINT,
PRIMARY KEY (campaign_id, device_id)) WITHOUT ROWID;
INSERT INTO "deliveries" VALUES(1,1,1,'accepted',NULL,1,NULL,NULL,1795262400000,NULL,1795262400005,1795262400006,NULL);
INSERT INTO "deliveries" VALUES(1,2,3,'rejected','Unregistered',1,NULL,NULL,1795262400000,NULL,NULL,NULL,NULL);
INSERT INTO "deliveries" VALUES(2,1,1,'accepted',NULL,1,NULL,NULL,1795262400000,NULL,NULL,NULL,NULL);
INSERT INTO "deliveries" VALUES(2,2,2,'pending',NULL,0,NULL,NULL,1795262400000,NULL,NULL,NULL,NULL);
CREATE TABLE devices (
id INTEGER PRIMARY KEY AUTOINCREMENT, app_id BIGINT NOT NULL, client_id TEXT NOT NULL, contact_id BIGINT,
link_generation BIGINT NOT NULL, confirmed_generation BIGINT NOT NULL,
push_token TEXT, push_provider TEXT, push_environment TEXT, token_at BIGINT,
push_enabled BIGINT, os_push_enabled BIGINT, opt_out_reason TEXT, opt_out_at BIGINT,
platform TEXT, os_version TEXT, app_version TEXT, sdk_version TEXT, device_model TEXT, locale TEXT,
time_zone TEXT, last_opened_at BIGINT, revision BIGINT NOT NULL, applied TEXT,
token_order BIGINT NOT NULL, properties_order BIGINT NOT NULL, contact_order BIGINT NOT NULL,
created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, UNIQUE (app_id, client_id));
INSERT INTO "devices" VALUES(1,1,'00000000-0000-4000-8000-000000000001',1,1,1,'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','apns','production',1795262400000,1,1,NULL,NULL,'ios','17.0','1.2','0.1','iPhone15,2','fr-FR','Europe/Paris',1795262400000,3,'{"attributes":{"city":"Paris"},"contact":1,"tags":["sports"]}',1795262400000,1795262400000,1795262400000,1795262400000,1795262400000);
INSERT INTO "devices" VALUES(2,1,'00000000-0000-4000-8000-000000000002',2,1,1,'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb','apns','production',1795262400000,1,NULL,'token-invalid',1795262400000,'ios','17.0','1.2','0.1','iPhone15,2','fr-FR','Europe/Paris',NULL,3,NULL,1795262400000,1795262400000,1795262400000,1795262400000,1795262400000);
CREATE TABLE events (
id INTEGER PRIMARY KEY AUTOINCREMENT, device_id BIGINT NOT NULL, event_id TEXT NOT NULL, app_id BIGINT NOT NULL,
contact_id BIGINT, kind TEXT NOT NULL, name TEXT NOT NULL, at BIGINT NOT NULL,
received_at BIGINT NOT NULL, session_id TEXT, attributes TEXT NOT NULL);
INSERT INTO "events" VALUES(1,1,'e-1',1,1,'custom','purchase',1795262400000,1795262400000,'s-1','{"price":"9.99"}');
INSERT INTO "events" VALUES(2,1,'e-2',1,3,'custom','purchase',1795262400001,1795262400000,'s-1','{}');
INSERT INTO "events" VALUES(3,2,'e-1',1,NULL,'custom','view',1795262400000,1795262400000,'s-1','{}');
CREATE TABLE refresh_tokens (
token_hash BLOB NOT NULL PRIMARY KEY, device_id BIGINT NOT NULL,
generation BIGINT NOT NULL, created_at BIGINT NOT NULL);
INSERT INTO "refresh_tokens" VALUES(X'CDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCD',1,1,1795262400000);
CREATE TABLE registrations (
id INTEGER PRIMARY KEY AUTOINCREMENT, device_id BIGINT NOT NULL, registration_id TEXT NOT NULL,
revision BIGINT NOT NULL, snapshot TEXT NOT NULL, status TEXT NOT NULL, rejected TEXT NOT NULL,
request_order BIGINT NOT NULL, received_at BIGINT NOT NULL, processed_at BIGINT,
UNIQUE (device_id, registration_id));
INSERT INTO "registrations" VALUES(1,1,'r-1',3,'{"deviceId": "00000000-0000-4000-8000-000000000001", "registrationId": "r-1", "revision": 3, "pushEnabled": true, "attributes": {"city": "Paris"}}','processed','[]',1795262400000,1795262400000,1795262400000);
INSERT INTO "registrations" VALUES(2,2,'r-2',1,'{"deviceId": "00000000-0000-4000-8000-000000000002", "registrationId": "r-2", "revision": 3, "pushEnabled": true, "attributes": {"city": "Paris"}}','received','[]',1795262400000,1795262400000,NULL);
CREATE TABLE schema_version (version BIGINT NOT NULL);
INSERT INTO "schema_version" VALUES(1);
CREATE INDEX devices_by_token ON devices (push_token, app_id) WHERE push_token IS NOT NULL;
CREATE INDEX devices_by_contact ON devices (contact_id);
CREATE INDEX devices_by_opt_out ON devices (app_id, opt_out_reason) WHERE opt_out_reason IS NOT NULL;
CREATE INDEX refresh_tokens_by_device ON refresh_tokens (device_id);
CREATE INDEX registrations_waiting ON registrations (id) WHERE status = 'received';
CREATE INDEX registrations_by_revision ON registrations (device_id, revision);
CREATE UNIQUE INDEX events_once ON events (device_id, event_id);
CREATE INDEX campaigns_by_app ON campaigns (app_id, id);
CREATE INDEX campaigns_unplanned ON campaigns (id) WHERE planned = 0 AND launched_at IS NOT NULL;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('apps',2);
INSERT INTO "sqlite_sequence" VALUES('admin_keys',1);
INSERT INTO "sqlite_sequence" VALUES('audit_log',2);
INSERT INTO "sqlite_sequence" VALUES('contacts',3);
INSERT INTO "sqlite_sequence" VALUES('devices',2);
INSERT INTO "sqlite_sequence" VALUES('registrations',2);
INSERT INTO "sqlite_sequence" VALUES('events',3);
INSERT INTO "sqlite_sequence" VALUES('campaigns',2);
