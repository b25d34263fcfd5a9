-- The schema of version 29 as the program of that time made it (5dee641d), with typical rows.
CREATE TABLE admin_keys (
id INTEGER PRIMARY KEY AUTOINCREMENT, key_hash BLOB NOT NULL UNIQUE, app_id BIGINT NOT NULL,
scopes TEXT NOT NULL, created_at BIGINT NOT NULL, revoked_at BIGINT, label TEXT, expires_at BIGINT);
INSERT INTO "admin_keys" VALUES(1,X'ABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABAB',1,'admin',1795262400000,NULL,NULL,NULL);
CREATE TABLE apps (
id INTEGER PRIMARY KEY AUTOINCREMENT, code TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
settings TEXT NOT NULL, created_at BIGINT NOT NULL);
INSERT INTO "apps" VALUES(1,'shop','Shop','{"timeZone":"Europe/Paris"}',1795262400000);
INSERT INTO "apps" VALUES(2,'other','Other','{}',1795262400000);
CREATE TABLE attribute_reviews (
app_id BIGINT NOT NULL PRIMARY KEY, contacts_after BIGINT, registrations_through BIGINT NOT NULL);
INSERT INTO "attribute_reviews" VALUES(1,NULL,2);
CREATE TABLE attributes (
app_id BIGINT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL, created_at BIGINT NOT NULL, number BIGINT,
PRIMARY KEY (app_id, name));
INSERT INTO "attributes" VALUES(1,'age','number',1795262400000,1);
INSERT INTO "attributes" VALUES(1,'born','date',1795262400000,2);
INSERT INTO "attributes" VALUES(1,'city','string',1795262400000,3);
CREATE TABLE audience_1 (
device_id INTEGER PRIMARY KEY, contact_id BIGINT, known BIGINT, push_opt_in BIGINT NOT NULL,
last_opened_at BIGINT, platform TEXT, os_version TEXT, app_version TEXT, sdk_version TEXT,
device_model TEXT, locale TEXT, time_zone TEXT, a1_text TEXT, a1_number DOUBLE PRECISION, a2_text TEXT, a2_number DOUBLE PRECISION, a3_text TEXT, a3_number DOUBLE PRECISION, a4_text TEXT, a4_number DOUBLE PRECISION);
INSERT INTO "audience_1" VALUES(1,1,1,1,1795262400000,'ios','17.0','1.2','0.1','iPhone15,2','fr-FR','Europe/Paris','31',31.0,'1990-05-29T00:00:00.000Z',643939200000.0,'Paris',NULL,NULL,NULL);
INSERT INTO "audience_1" VALUES(2,2,0,0,NULL,'ios','17.0','1.2','0.1','iPhone15,2','fr-FR','Europe/Paris',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE audience_2 (
device_id INTEGER PRIMARY KEY, contact_id BIGINT, known BIGINT, push_opt_in BIGINT NOT NULL,
last_opened_at BIGINT, platform TEXT, os_version TEXT, app_version TEXT, sdk_version TEXT,
device_model TEXT, locale TEXT, time_zone TEXT);
CREATE TABLE audit_log (
id INTEGER PRIMARY KEY, at BIGINT NOT NULL, actor TEXT NOT NULL, app TEXT, action TEXT NOT NULL,
target TEXT);
INSERT INTO "audit_log" VALUES(1,1795262400000,'root','shop','campaign.launch','1');
INSERT INTO "audit_log" VALUES(2,1795262400001,'root','shop','device.revoke','2');
CREATE TABLE badges (
device_id BIGINT NOT NULL PRIMARY KEY, count BIGINT NOT NULL, revision BIGINT NOT NULL,
set_count BIGINT, set_revision BIGINT);
INSERT INTO "badges" VALUES(1,2,3,1,1);
CREATE TABLE batches (
campaign_id BIGINT NOT NULL, number BIGINT NOT NULL, first_device BIGINT NOT NULL,
last_device BIGINT NOT NULL, available_at BIGINT NOT NULL, lease_owner TEXT, lease_until BIGINT NOT NULL, quarantined BIGINT NOT NULL DEFAULT 0, place_at BIGINT,
PRIMARY KEY (campaign_id, number));
INSERT INTO "batches" VALUES(2,1,1,2,1795262400000,'w',0,0,NULL);
CREATE TABLE campaign_approvals (
    id INTEGER PRIMARY KEY AUTOINCREMENT, campaign_id BIGINT NOT NULL, version BIGINT NOT NULL,
    decision TEXT NOT NULL, rehearsal_id BIGINT, decided_at BIGINT NOT NULL, author_user BIGINT,
    author_key TEXT, reason TEXT);
INSERT INTO "campaign_approvals" VALUES(1,1,1,'approved',1,1795262400000,1,NULL,NULL);
INSERT INTO "campaign_approvals" VALUES(2,4,1,'rejected',NULL,1795262400000,NULL,'k-1','Too long');
CREATE TABLE campaign_comments (
    id INTEGER PRIMARY KEY AUTOINCREMENT, campaign_id BIGINT NOT NULL, created_at BIGINT NOT NULL,
    author_user BIGINT, author_key TEXT, text TEXT NOT NULL);
INSERT INTO "campaign_comments" VALUES(1,1,1795262400000,1,NULL,'It''s fine');
INSERT INTO "campaign_comments" VALUES(2,1,1795262400001,NULL,'k-1','By a key');
CREATE TABLE campaign_outcomes (
    campaign_id BIGINT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL, devices BIGINT NOT NULL,
    displayed BIGINT NOT NULL, opened BIGINT NOT NULL,
    PRIMARY KEY (campaign_id, state, reason)) WITHOUT ROWID;
INSERT INTO "campaign_outcomes" VALUES(1,'accepted','',1,1,1);
INSERT INTO "campaign_outcomes" VALUES(1,'rejected','Unregistered',1,0,0);
CREATE TABLE campaign_sums (
    campaign_id BIGINT NOT NULL, quarter BIGINT NOT NULL, app_id BIGINT NOT NULL, day BIGINT NOT NULL,
    accepted BIGINT NOT NULL, suppressed BIGINT NOT NULL, rejected BIGINT NOT NULL,
    displayed BIGINT NOT NULL, opened BIGINT NOT NULL,
    PRIMARY KEY (campaign_id, quarter)) WITHOUT ROWID;
INSERT INTO "campaign_sums" VALUES(1,1994736,1,20778,1,0,1,1,1);
INSERT INTO "campaign_sums" VALUES(2,1994736,1,20778,1,0,0,0,0);
CREATE TABLE campaign_versions (
    campaign_id BIGINT NOT NULL, number BIGINT NOT NULL, app_id BIGINT NOT NULL, saved_at BIGINT NOT NULL,
    author_user BIGINT, author_key TEXT, published BIGINT NOT NULL, resets_displays BIGINT NOT NULL,
    names_people BIGINT NOT NULL, content TEXT NOT NULL, PRIMARY KEY (campaign_id, number));
INSERT INTO "campaign_versions" VALUES(1,1,1,1795262400000,NULL,NULL,1,0,0,'{"name": "Sale", "kind": "push", "audience": {"everyone": true}, "push": {"title": "Sale {{name}}", "body": "Today; it''s on"}}');
INSERT INTO "campaign_versions" VALUES(2,1,1,1795262400000,NULL,NULL,1,0,0,'{"name": "Sale", "kind": "push", "audience": {"everyone": true}, "push": {"title": "Sale {{name}}", "body": "Today; it''s on"}}');
INSERT INTO "campaign_versions" VALUES(3,1,1,1795262400000,NULL,NULL,1,0,0,'{"name": "Kept", "kind": "pushAndMessageCenter", "audience": {"attribute": "city", "op": "==", "value": "Paris"}, "push": {"title": "T", "body": "B"}, "messageCenter": {"center": "Primary", "subject": "S", "message": "M"}}');
INSERT INTO "campaign_versions" VALUES(4,1,1,1795262400000,NULL,NULL,1,0,0,'{"name": "Welcome", "kind": "inApp", "audience": {"everyone": true}, "inApp": {"type": "modal", "displayLimit": 3, "trigger": {"event": "session:start"}, "content": {"title": "Hi", "body": "There"}}}');
CREATE TABLE campaigns (
id INTEGER PRIMARY KEY AUTOINCREMENT, app_id BIGINT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
content TEXT NOT NULL, status TEXT NOT NULL, status_reason TEXT, created_at BIGINT NOT NULL,
launched_at BIGINT, ended_at BIGINT, retries_from BIGINT, planned_to BIGINT NOT NULL,
plan_end BIGINT NOT NULL, planned BIGINT NOT NULL, watch TEXT, trouble_since BIGINT, scheduled_at BIGINT, rate_unit BIGINT, next_send_at BIGINT, in_app_version BIGINT NOT NULL DEFAULT 1, display_epoch BIGINT NOT NULL DEFAULT 0, deleted_at BIGINT, recalled_at BIGINT, ends_at BIGINT, closed_to BIGINT, places BIGINT NOT NULL DEFAULT 0, summed_at BIGINT, sum_due_at BIGINT NOT NULL DEFAULT 0, ledger_removed_at BIGINT, ledger_gone BIGINT NOT NULL DEFAULT 0);
INSERT INTO "campaigns" VALUES(1,1,'Sale','push','{"name": "Sale", "kind": "push", "audience": {"everyone": true}, "push": {"title": "Sale {{name}}", "body": "Today; it''s on"}}','completed',NULL,1795262400000,1795262400000,1795262400009,1795262400000,2,2,1,NULL,NULL,NULL,NULL,NULL,1,0,NULL,NULL,NULL,NULL,0,NULL,0,NULL,0);
INSERT INTO "campaigns" VALUES(2,1,'Sale','push','{"name": "Sale", "kind": "push", "audience": {"everyone": true}, "push": {"title": "Sale {{name}}", "body": "Today; it''s on"}}','sending',NULL,1795262400000,1795262400000,NULL,NULL,2,2,1,'{"answers":1,"malformedTokens":0,"topicFaults":0}',1795262400000,NULL,NULL,NULL,1,0,NULL,NULL,NULL,NULL,0,NULL,0,NULL,0);
INSERT INTO "campaigns" VALUES(3,1,'Kept','pushAndMessageCenter','{"name": "Kept", "kind": "pushAndMessageCenter", "audience": {"attribute": "city", "op": "==", "value": "Paris"}, "push": {"title": "T", "body": "B"}, "messageCenter": {"center": "Primary", "subject": "S", "message": "M"}}','completed',NULL,1795262400000,1795262400000,1795262400000,NULL,2,2,1,NULL,NULL,NULL,NULL,NULL,1,0,NULL,NULL,NULL,NULL,0,NULL,0,1795262400010,0);
INSERT INTO "campaigns" VALUES(4,1,'Welcome','inApp','{"name": "Welcome", "kind": "inApp", "audience": {"everyone": true}, "inApp": {"type": "modal", "displayLimit": 3, "trigger": {"event": "session:start"}, "content": {"title": "Hi", "body": "There"}}}','active',NULL,1795262400000,1795262400000,NULL,NULL,0,0,1,NULL,NULL,NULL,NULL,NULL,2,1,NULL,NULL,NULL,NULL,0,NULL,0,NULL,0);
CREATE TABLE center_contents (
campaign_id BIGINT NOT NULL, variant TEXT NOT NULL, body TEXT NOT NULL, rich_html TEXT,
PRIMARY KEY (campaign_id, variant)) WITHOUT ROWID;
INSERT INTO "center_contents" VALUES(3,'','{"subject":"S","message":"M"}','<p>hi</p>');
CREATE TABLE center_engagement (
campaign_id BIGINT NOT NULL, device_id BIGINT NOT NULL, displays BIGINT NOT NULL, opens BIGINT NOT NULL,
displayed_at BIGINT, opened_at BIGINT, PRIMARY KEY (campaign_id, device_id)) WITHOUT ROWID;
INSERT INTO "center_engagement" VALUES(3,1,1,1,1795262400000,1795262400000);
CREATE TABLE center_messages (
contact_id BIGINT NOT NULL, center TEXT NOT NULL, sent_at BIGINT NOT NULL, campaign_id BIGINT NOT NULL,
app_id BIGINT NOT NULL, variant TEXT NOT NULL, expires_at BIGINT, state TEXT NOT NULL, state_at BIGINT,
body TEXT, rich_html TEXT, made_from BIGINT, recalled_at BIGINT,
PRIMARY KEY (contact_id, center, sent_at, campaign_id)) WITHOUT ROWID;
INSERT INTO "center_messages" VALUES(1,'Primary',1795262400000,3,1,'',NULL,'unread',NULL,NULL,NULL,NULL,NULL);
CREATE TABLE consent_days (
    app_id BIGINT NOT NULL, day BIGINT NOT NULL, devices BIGINT NOT NULL, opted_in BIGINT NOT NULL,
    counted_at BIGINT NOT NULL, PRIMARY KEY (app_id, day)) WITHOUT ROWID;
INSERT INTO "consent_days" VALUES(1,20778,2,1,1795262400000);
CREATE TABLE contact_followings (
    contact_id INTEGER PRIMARY KEY, app_id BIGINT NOT NULL, after_device BIGINT NOT NULL,
    again BIGINT NOT NULL);
INSERT INTO "contact_followings" VALUES(2,1,1,0);
CREATE TABLE contact_links (
    device_id BIGINT NOT NULL, at BIGINT NOT NULL, contact_id BIGINT NOT NULL, began BIGINT NOT NULL,
    cause TEXT NOT NULL, PRIMARY KEY (device_id, at, contact_id, began)) WITHOUT ROWID;
INSERT INTO "contact_links" VALUES(1,1795262400000,2,1,'registration');
INSERT INTO "contact_links" VALUES(1,1795262400001,1,1,'link');
INSERT INTO "contact_links" VALUES(1,1795262400001,2,0,'link');
INSERT INTO "contact_links" VALUES(2,1795262400000,1,1,'takeover');
CREATE TABLE contact_openings (
    contact_id INTEGER PRIMARY KEY, at BIGINT NOT NULL);
INSERT INTO "contact_openings" VALUES(1,1795262400000);
CREATE TABLE contact_tags (
contact_id BIGINT NOT NULL, tag TEXT NOT NULL, device_id BIGINT NOT NULL,
PRIMARY KEY (contact_id, tag, device_id)) WITHOUT ROWID;
INSERT INTO "contact_tags" VALUES(1,'sports',1);
CREATE TABLE contacts (
id INTEGER PRIMARY KEY AUTOINCREMENT, app_id BIGINT NOT NULL, contact_key TEXT NOT NULL, known BIGINT NOT NULL,
attributes TEXT NOT NULL, party TEXT, last_opened_at BIGINT, created_at BIGINT NOT NULL,
updated_at BIGINT NOT NULL, merged_into BIGINT, party_type TEXT, party_name TEXT, party_number TEXT, attributes_at TEXT, UNIQUE (app_id, contact_key));
INSERT INTO "contacts" VALUES(1,1,'anna',1,'{"age":31,"born":"1990-05-29T00:00:00.000Z","city":"Paris"}','{"type":"erp","name":"a","number":"4711"}',1795262400000,1795262400000,1795262400000,NULL,'erp','a','4711',NULL);
INSERT INTO "contacts" VALUES(2,1,'anonymous-2',0,'{}',NULL,NULL,1795262400000,1795262400000,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "contacts" VALUES(3,1,'left',1,'{"city":"Oslo"}',NULL,NULL,1795262400000,1795262400000,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE credentials (
app_id BIGINT NOT NULL, provider TEXT NOT NULL, sealed BLOB NOT NULL,
revision BIGINT NOT NULL, updated_at BIGINT NOT NULL, PRIMARY KEY (app_id, provider));
INSERT INTO "credentials" VALUES(1,'apns',X'00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF00FF',1,1795262400000);
CREATE TABLE day_sums (
    app_id BIGINT NOT NULL, day BIGINT NOT NULL, accepted BIGINT NOT NULL, suppressed BIGINT NOT NULL,
    rejected BIGINT NOT NULL, displayed BIGINT NOT NULL, opened BIGINT NOT NULL,
    PRIMARY KEY (app_id, day)) WITHOUT ROWID;
INSERT INTO "day_sums" VALUES(1,20778,2,0,1,1,1);
CREATE TABLE deliveries (
campaign_id BIGINT NOT NULL, device_id BIGINT NOT NULL, contact_id BIGINT, state TEXT NOT NULL,
reason TEXT, attempts BIGINT NOT NULL, retry_at BIGINT, note TEXT, updated_at BIGINT NOT NULL,
received_at BIGINT, displayed_at BIGINT, opened_at BIGINT, dismissed_at BIGINT, due_at BIGINT, due_note TEXT, reserved_at BIGINT, tried_at BIGINT, badged BIGINT, placed BIGINT,
PRIMARY KEY (campaign_id, device_id)) WITHOUT ROWID;
INSERT INTO "deliveries" VALUES(1,1,1,'accepted',NULL,1,NULL,NULL,1795262400000,NULL,1795262400005,1795262400006,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "deliveries" VALUES(1,2,3,'rejected','Unregistered',1,NULL,NULL,1795262400000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "deliveries" VALUES(2,1,1,'accepted',NULL,1,NULL,NULL,1795262400000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "deliveries" VALUES(2,2,2,'pending',NULL,0,NULL,NULL,1795262400000,NULL,NULL,NULL,NULL,1795262460000,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "deliveries" VALUES(3,1,1,'accepted',NULL,1,NULL,NULL,1795262400000,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1,NULL);
CREATE TABLE device_openings (
    device_id INTEGER PRIMARY KEY, at BIGINT NOT NULL);
INSERT INTO "device_openings" VALUES(1,1795262400000);
CREATE TABLE "devices" (
    id INTEGER PRIMARY KEY AUTOINCREMENT, app_id BIGINT NOT NULL, client_id TEXT NOT NULL, contact_id BIGINT,
    link_generation BIGINT NOT NULL, confirmed_generation BIGINT NOT NULL,
    push_token TEXT, push_provider TEXT, push_environment TEXT, token_at BIGINT,
    push_enabled BIGINT, os_push_enabled BIGINT, opt_out_reason TEXT, opt_out_at BIGINT,
    platform TEXT, os_version TEXT, app_version TEXT, sdk_version TEXT, device_model TEXT, locale TEXT,
    time_zone TEXT, last_opened_at BIGINT, revision BIGINT NOT NULL, applied TEXT,
    token_order BIGINT NOT NULL, properties_order BIGINT NOT NULL, contact_order BIGINT NOT NULL,
    created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, epoch BIGINT NOT NULL DEFAULT 0,
    token_generation BIGINT NOT NULL DEFAULT 0, properties_generation BIGINT NOT NULL DEFAULT 0, contact_generation BIGINT NOT NULL DEFAULT 0, order_epoch BIGINT NOT NULL DEFAULT 0, v3_version TEXT, v3_channel TEXT, tag_contact_id BIGINT, tag_generation BIGINT);
INSERT INTO "devices" VALUES(1,1,'00000000-0000-4000-8000-000000000001',1,1,1,'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','apns','production',1795262400000,1,1,NULL,NULL,'ios','17.0','1.2','0.1','iPhone15,2','fr-FR','Europe/Paris',1795262400000,3,'{"attributes":{"city":"Paris"},"contact":1,"tags":["sports"]}',1795262400000,1795262400000,1795262400000,1795262400000,1795262400000,0,0,0,0,0,NULL,NULL,3,1);
INSERT INTO "devices" VALUES(2,1,'00000000-0000-4000-8000-000000000002',2,1,1,'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb','apns','production',1795262400000,1,NULL,'token-invalid',1795262400000,'ios','17.0','1.2','0.1','iPhone15,2','fr-FR','Europe/Paris',NULL,3,NULL,1795262400000,1795262400000,1795262400000,1795262400000,1795262400000,2,0,0,0,0,NULL,NULL,NULL,NULL);
CREATE TABLE dormant_devices (
    id INTEGER PRIMARY KEY, app_id BIGINT NOT NULL, client_id TEXT NOT NULL, contact_id BIGINT,
    link_generation BIGINT NOT NULL, confirmed_generation BIGINT NOT NULL,
    push_token TEXT, push_provider TEXT, push_environment TEXT, token_at BIGINT,
    push_enabled BIGINT, os_push_enabled BIGINT, opt_out_reason TEXT, opt_out_at BIGINT,
    platform TEXT, os_version TEXT, app_version TEXT, sdk_version TEXT, device_model TEXT, locale TEXT,
    time_zone TEXT, last_opened_at BIGINT, revision BIGINT NOT NULL, applied TEXT,
    token_order BIGINT NOT NULL, properties_order BIGINT NOT NULL, contact_order BIGINT NOT NULL,
    created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, epoch BIGINT NOT NULL DEFAULT 0,
    token_generation BIGINT NOT NULL DEFAULT 0, properties_generation BIGINT NOT NULL DEFAULT 0,
    contact_generation BIGINT NOT NULL DEFAULT 0, order_epoch BIGINT NOT NULL DEFAULT 0,
    v3_version TEXT, v3_channel TEXT, tag_contact_id BIGINT, tag_generation BIGINT);
INSERT INTO "dormant_devices" VALUES(3,1,'00000000-0000-4000-8000-000000000003',3,1,1,'cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc','apns','production',1760702400000,1,NULL,'token-invalid',1760702400000,'ios','16.0','1.0','0.1','iPhone12,1','nb-NO','Europe/Oslo',1760702400000,2,NULL,1760702400000,1760702400000,1760702400000,1760702400000,1760702400000,1,0,0,0,0,NULL,NULL,NULL,NULL);
CREATE TABLE erased_devices (
app_id BIGINT NOT NULL, client_id TEXT NOT NULL, erased_at BIGINT NOT NULL,
PRIMARY KEY (app_id, client_id)) WITHOUT ROWID;
INSERT INTO "erased_devices" VALUES(1,'00000000-0000-4000-8000-000000000009',1795262400000);
CREATE TABLE erasures (
    id INTEGER PRIMARY KEY AUTOINCREMENT, app_id BIGINT NOT NULL, receipt TEXT NOT NULL UNIQUE,
    contact_id BIGINT NOT NULL, started_at BIGINT NOT NULL, ended_at BIGINT, devices BIGINT NOT NULL,
    events BIGINT NOT NULL, messages BIGINT NOT NULL, deliveries BIGINT NOT NULL);
INSERT INTO "erasures" VALUES(1,1,'receipt-1',77,1795262400000,1795262400000,1,2,3,4);
CREATE TABLE event_moves (
    device_id BIGINT NOT NULL, contact_id BIGINT NOT NULL, other_id BIGINT NOT NULL,
    after_event TEXT NOT NULL, PRIMARY KEY (device_id, contact_id)) WITHOUT ROWID;
INSERT INTO "event_moves" VALUES(2,2,1,'e-1');
CREATE TABLE "events" (
device_id BIGINT NOT NULL, event_id TEXT NOT NULL, app_id BIGINT NOT NULL, contact_id BIGINT,
kind TEXT NOT NULL, name TEXT NOT NULL, at BIGINT NOT NULL, device_at BIGINT,
received_at BIGINT NOT NULL, session_id TEXT, attributes TEXT NOT NULL,
PRIMARY KEY (device_id, event_id)) WITHOUT ROWID;
INSERT INTO "events" VALUES(1,'e-1',1,1,'custom','purchase',1795262400000,NULL,1795262400000,'s-1','{"price":"9.99"}');
INSERT INTO "events" VALUES(1,'e-2',1,3,'custom','purchase',1795262400001,1795262400000,1795262400000,'s-1','{}');
INSERT INTO "events" VALUES(2,'e-1',1,NULL,'custom','view',1795262400000,NULL,1795262400000,'s-1','{}');
CREATE TABLE former_devices (
app_id BIGINT NOT NULL, contact_id BIGINT NOT NULL, device_id BIGINT NOT NULL,
PRIMARY KEY (app_id, contact_id, device_id)) WITHOUT ROWID;
INSERT INTO "former_devices" VALUES(1,3,1);
INSERT INTO "former_devices" VALUES(1,3,2);
CREATE TABLE idempotent_answers (
principal TEXT NOT NULL, idempotency_key TEXT NOT NULL, request_hash BLOB NOT NULL,
status BIGINT NOT NULL, body TEXT NOT NULL, created_at BIGINT NOT NULL,
PRIMARY KEY (principal, idempotency_key));
INSERT INTO "idempotent_answers" VALUES('key-1','k',X'EFEFEFEFEFEFEFEFEFEFEFEFEFEFEFEFEFEFEFEFEFEFEFEFEFEFEFEFEFEFEFEF',201,'{}',1795262400000);
CREATE TABLE in_app_clicks (
campaign_id BIGINT NOT NULL, device_id BIGINT NOT NULL, contact_id BIGINT NOT NULL,
button_id TEXT NOT NULL, clicks BIGINT NOT NULL,
PRIMARY KEY (campaign_id, device_id, contact_id, button_id)) WITHOUT ROWID;
INSERT INTO "in_app_clicks" VALUES(4,1,1,'ok',1);
CREATE TABLE in_app_clocks (
app_id BIGINT NOT NULL PRIMARY KEY, version BIGINT NOT NULL, volatile BIGINT NOT NULL, entered_by BIGINT, entered_by_events TEXT) WITHOUT ROWID;
INSERT INTO "in_app_clocks" VALUES(1,5,1,NULL,NULL);
CREATE TABLE in_app_copies (
campaign_id BIGINT NOT NULL, device_id BIGINT NOT NULL, contact_id BIGINT NOT NULL,
version BIGINT NOT NULL, downloaded_at BIGINT, epoch BIGINT NOT NULL, shown BIGINT NOT NULL,
displays BIGINT NOT NULL, displayed_at BIGINT, clicks BIGINT NOT NULL, clicked_at BIGINT,
dismissals BIGINT NOT NULL, dismissed_at BIGINT, screen_time BIGINT NOT NULL,
not_shown_reason TEXT, not_shown_sentence TEXT, not_shown_at BIGINT, recalled_at BIGINT,
PRIMARY KEY (campaign_id, device_id, contact_id)) WITHOUT ROWID;
INSERT INTO "in_app_copies" VALUES(4,1,1,2,1795262400000,1,1,1,1795262400000,1,1795262400000,0,NULL,1200,NULL,NULL,NULL,NULL);
CREATE TABLE in_app_not_shown (
campaign_id BIGINT NOT NULL, device_id BIGINT NOT NULL, contact_id BIGINT NOT NULL,
reason TEXT NOT NULL, times BIGINT NOT NULL,
PRIMARY KEY (campaign_id, device_id, contact_id, reason)) WITHOUT ROWID;
INSERT INTO "in_app_not_shown" VALUES(4,1,1,'capped',1);
CREATE TABLE message_centers (
app_id BIGINT NOT NULL, name TEXT NOT NULL, label TEXT, enabled BIGINT NOT NULL,
created_at BIGINT NOT NULL, PRIMARY KEY (app_id, name)) WITHOUT ROWID;
INSERT INTO "message_centers" VALUES(1,'Offers','Offers',1,1795262400000);
CREATE TABLE refresh_tokens (
token_hash BLOB NOT NULL PRIMARY KEY, device_id BIGINT NOT NULL,
generation BIGINT NOT NULL, created_at BIGINT NOT NULL);
INSERT INTO "refresh_tokens" VALUES(X'CDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCDCD',1,1,1795262400000);
CREATE TABLE registration_groups (
owner TEXT NOT NULL PRIMARY KEY, first_id BIGINT NOT NULL, last_id BIGINT NOT NULL,
lease_until BIGINT NOT NULL);
INSERT INTO "registration_groups" VALUES('w',1,2,1795262400000);
CREATE TABLE registrations (
id INTEGER PRIMARY KEY, device_id BIGINT NOT NULL, registration_id TEXT NOT NULL,
revision BIGINT NOT NULL, snapshot TEXT NOT NULL, status TEXT NOT NULL, rejected TEXT NOT NULL,
request_order BIGINT NOT NULL, received_at BIGINT NOT NULL, processed_at BIGINT, generation BIGINT NOT NULL DEFAULT 0, contact_id BIGINT, accepted TEXT,
UNIQUE (device_id, registration_id));
INSERT INTO "registrations" VALUES(1,1,'r-1',3,'{"deviceId": "00000000-0000-4000-8000-000000000001", "registrationId": "r-1", "revision": 3, "pushEnabled": true, "attributes": {"city": "Paris"}}','processed','[]',1795262400000,1795262400000,1795262400000,0,1,'["city"]');
INSERT INTO "registrations" VALUES(2,2,'r-2',1,'{"deviceId": "00000000-0000-4000-8000-000000000002", "registrationId": "r-2", "revision": 3, "pushEnabled": true, "attributes": {"city": "Paris"}}','superseded','[]',1795262400000,1795262400000,1795830241328,0,NULL,NULL);
CREATE TABLE rehearsal_pages (
    rehearsal_id BIGINT NOT NULL, last_device BIGINT NOT NULL, first_device BIGINT NOT NULL,
    outcomes BIGINT NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (rehearsal_id, last_device)) WITHOUT ROWID;
INSERT INTO "rehearsal_pages" VALUES(1,2,1,3,X'000001010001');
CREATE TABLE rehearsals (
    id INTEGER PRIMARY KEY AUTOINCREMENT, app_id BIGINT NOT NULL, campaign_id BIGINT NOT NULL,
    version TEXT NOT NULL, status TEXT NOT NULL, requested_at BIGINT NOT NULL, started_at BIGINT,
    ended_at BIGINT, launch_at BIGINT, last_device BIGINT NOT NULL DEFAULT 0,
    reached BIGINT NOT NULL DEFAULT 0, audience BIGINT NOT NULL DEFAULT 0,
    attempts BIGINT NOT NULL DEFAULT 0, lease_owner TEXT, lease_until BIGINT, problem TEXT, figures TEXT,
    comparison TEXT);
INSERT INTO "rehearsals" VALUES(1,1,1,'kH3dKSvOGYNhjYko','done',1795262400000,1795262400000,1795262400009,1795262400000,2,1,2,1,NULL,NULL,NULL,'{"audience":2,"byHour":[{"count":1,"from":817000000}],"byLocale":[{"audience":2,"name":"fr-FR","reached":1}],"byPlatform":[{"audience":2,"name":"ios","reached":1}],"byZone":[{"audience":2,"name":"Europe/Paris","reached":1}],"crowded":0,"outcomes":[{"count":1,"outcome":{"state":"accepted"}},{"count":1,"outcome":{"reason":"optedOut","state":"suppressed"}}],"placed":0,"reached":1,"warnings":[]}',NULL);
INSERT INTO "rehearsals" VALUES(2,1,2,'kH3dKSvOGYNhjYko','running',1795262400000,1795262400000,NULL,NULL,0,0,0,1,'w-1',1795262415000,NULL,NULL,NULL);
CREATE TABLE removed_attributes (
app_id BIGINT NOT NULL, name TEXT NOT NULL, number BIGINT NOT NULL, removed_at BIGINT NOT NULL,
PRIMARY KEY (app_id, name));
INSERT INTO "removed_attributes" VALUES(1,'shoe',4,1795262400000);
CREATE TABLE rich_confirmations (
    contact_id BIGINT NOT NULL, campaign_id BIGINT NOT NULL, device_id BIGINT NOT NULL,
    confirmed_at BIGINT NOT NULL, PRIMARY KEY (contact_id, campaign_id, device_id)) WITHOUT ROWID;
INSERT INTO "rich_confirmations" VALUES(1,3,1,1795262400000);
CREATE TABLE schema_version (version BIGINT NOT NULL);
INSERT INTO "schema_version" VALUES(1);
INSERT INTO "schema_version" VALUES(2);
INSERT INTO "schema_version" VALUES(3);
INSERT INTO "schema_version" VALUES(4);
INSERT INTO "schema_version" VALUES(5);
INSERT INTO "schema_version" VALUES(6);
INSERT INTO "schema_version" VALUES(7);
INSERT INTO "schema_version" VALUES(8);
INSERT INTO "schema_version" VALUES(9);
INSERT INTO "schema_version" VALUES(10);
INSERT INTO "schema_version" VALUES(11);
INSERT INTO "schema_version" VALUES(12);
INSERT INTO "schema_version" VALUES(13);
INSERT INTO "schema_version" VALUES(14);
INSERT INTO "schema_version" VALUES(15);
INSERT INTO "schema_version" VALUES(16);
INSERT INTO "schema_version" VALUES(17);
INSERT INTO "schema_version" VALUES(18);
INSERT INTO "schema_version" VALUES(19);
INSERT INTO "schema_version" VALUES(20);
INSERT INTO "schema_version" VALUES(21);
INSERT INTO "schema_version" VALUES(22);
INSERT INTO "schema_version" VALUES(23);
INSERT INTO "schema_version" VALUES(24);
INSERT INTO "schema_version" VALUES(25);
INSERT INTO "schema_version" VALUES(26);
INSERT INTO "schema_version" VALUES(27);
INSERT INTO "schema_version" VALUES(28);
INSERT INTO "schema_version" VALUES(29);
CREATE TABLE silent_pushes (
device_id BIGINT NOT NULL PRIMARY KEY, app_id BIGINT NOT NULL, reasons BIGINT NOT NULL,
carried BIGINT NOT NULL, due_at BIGINT, tried_at BIGINT, sent_at BIGINT, number BIGINT NOT NULL,
attempts BIGINT NOT NULL, lease_owner TEXT, campaign_id BIGINT, accepted_since BIGINT, looked_at BIGINT);
INSERT INTO "silent_pushes" VALUES(1,1,1,0,1795262400000,NULL,NULL,1,0,NULL,NULL,NULL,NULL);
CREATE TABLE takeover_offers (
    device_id BIGINT NOT NULL PRIMARY KEY, contact_id BIGINT NOT NULL, former_contact_id BIGINT NOT NULL,
    former_device_id BIGINT NOT NULL, offered_at BIGINT NOT NULL);
INSERT INTO "takeover_offers" VALUES(2,2,3,1,1795262400000);
CREATE TABLE user_roles (
    user_id BIGINT NOT NULL, app_id BIGINT NOT NULL, role TEXT NOT NULL,
    PRIMARY KEY (user_id, app_id)) WITHOUT ROWID;
INSERT INTO "user_roles" VALUES(2,1,'marketer');
CREATE TABLE user_sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, token_hash BLOB NOT NULL, user_id BIGINT NOT NULL,
    created_at BIGINT NOT NULL, seen_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, agent TEXT NOT NULL);
INSERT INTO "user_sessions" VALUES(1,X'ABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABAB',1,1795262400000,1795262400000,1795262400001,'Firefox');
CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, display_name TEXT NOT NULL, password TEXT,
    issuer TEXT, subject TEXT, is_operator BIGINT NOT NULL, is_disabled BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL);
INSERT INTO "users" VALUES(1,'olga','Olga','none',NULL,NULL,1,0,1795262400000);
INSERT INTO "users" VALUES(2,'max','Max',NULL,'https://id.example','s-1',0,0,1795262400000);
CREATE TABLE work_attempts (
id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, subject BIGINT NOT NULL, part BIGINT NOT NULL,
app_id BIGINT, status TEXT NOT NULL, attempts BIGINT NOT NULL, owner TEXT, lease_until BIGINT NOT NULL,
reason TEXT, since BIGINT NOT NULL, reached BIGINT NOT NULL DEFAULT 0,
UNIQUE (kind, subject, part));
INSERT INTO "work_attempts" VALUES(1,'batch',2,1,1,'quarantined',3,NULL,0,'it ended the process',1795262400000,0);
CREATE INDEX refresh_tokens_by_device ON refresh_tokens (device_id);
CREATE INDEX registrations_waiting ON registrations (id) WHERE status = 'received';
CREATE INDEX registrations_by_revision ON registrations (device_id, revision);
CREATE INDEX campaigns_by_app ON campaigns (app_id, id);
CREATE INDEX campaigns_unplanned ON campaigns (id) WHERE planned = 0 AND launched_at IS NOT NULL;
CREATE INDEX campaigns_by_trouble ON campaigns (app_id) WHERE trouble_since IS NOT NULL;
CREATE INDEX contacts_by_app ON contacts (app_id, id) WHERE merged_into IS NULL;
CREATE INDEX contacts_by_merger ON contacts (merged_into) WHERE merged_into IS NOT NULL;
CREATE INDEX idempotent_answers_by_age ON idempotent_answers (created_at);
CREATE INDEX audit_log_by_age ON audit_log (at);
CREATE INDEX contact_tags_by_tag ON contact_tags (tag, contact_id);
CREATE INDEX campaigns_scheduled ON campaigns (scheduled_at) WHERE status = 'scheduled';
CREATE INDEX batches_due ON batches (campaign_id, available_at, number);
CREATE INDEX campaigns_closing ON campaigns (id) WHERE closed_to IS NOT NULL;
CREATE INDEX campaigns_in_app ON campaigns (app_id, id) WHERE kind = 'inApp' AND status = 'active';
CREATE INDEX campaigns_ending ON campaigns (ends_at)
WHERE ends_at IS NOT NULL AND status IN ('active', 'paused');
CREATE INDEX in_app_copies_by_device ON in_app_copies (device_id, contact_id);
CREATE INDEX silent_pushes_due ON silent_pushes (app_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX work_attempts_open ON work_attempts (kind) WHERE status = 'open';
CREATE INDEX batches_lent ON batches (lease_until) WHERE lease_owner IS NOT NULL;
CREATE INDEX silent_pushes_lent ON silent_pushes (due_at) WHERE lease_owner IS NOT NULL;
CREATE INDEX audience_1_contact ON audience_1 (contact_id);
CREATE INDEX audience_2_contact ON audience_2 (contact_id);
CREATE INDEX audience_1_a1_text ON audience_1 (substr(a1_text, 1, 256))
WHERE a1_number IS NULL AND a1_text IS NOT NULL;
CREATE INDEX audience_1_a1_number ON audience_1 (a1_number) WHERE a1_number IS NOT NULL;
CREATE INDEX audience_1_a2_text ON audience_1 (substr(a2_text, 1, 256))
WHERE a2_number IS NULL AND a2_text IS NOT NULL;
CREATE INDEX audience_1_a2_number ON audience_1 (a2_number) WHERE a2_number IS NOT NULL;
CREATE INDEX audience_1_a3_text ON audience_1 (substr(a3_text, 1, 256))
WHERE a3_number IS NULL AND a3_text IS NOT NULL;
CREATE INDEX audience_1_a3_number ON audience_1 (a3_number) WHERE a3_number IS NOT NULL;
CREATE INDEX audience_1_a4_text ON audience_1 (substr(a4_text, 1, 256))
WHERE a4_number IS NULL AND a4_text IS NOT NULL;
CREATE INDEX audience_1_a4_number ON audience_1 (a4_number) WHERE a4_number IS NOT NULL;
CREATE INDEX devices_by_token ON devices (push_token, app_id)
WHERE push_token IS NOT NULL;
CREATE INDEX devices_by_opt_out ON devices (app_id, opt_out_reason) WHERE opt_out_reason IS NOT NULL;
CREATE INDEX devices_by_client ON devices (app_id, lower(client_id));
CREATE INDEX contacts_by_party ON contacts (app_id, party_number) WHERE party_number IS NOT NULL;
CREATE INDEX takeover_offers_by_age ON takeover_offers (offered_at);
CREATE UNIQUE INDEX center_messages_once ON center_messages (campaign_id, contact_id);
CREATE INDEX batches_to_place ON batches (campaign_id, place_at, number) WHERE place_at IS NOT NULL;
CREATE INDEX admin_keys_by_app ON admin_keys (app_id, id);
CREATE INDEX erasures_by_app ON erasures (app_id, id);
CREATE INDEX erasures_open ON erasures (contact_id) WHERE ended_at IS NULL;
CREATE INDEX contacts_by_key ON contacts (app_id, contact_key) WHERE merged_into IS NULL;
CREATE INDEX devices_by_app ON devices (app_id, id);
CREATE INDEX devices_by_contact ON devices (contact_id, id);
CREATE INDEX audit_log_by_app ON audit_log (app, id);
CREATE UNIQUE INDEX users_by_name ON users (name);
CREATE UNIQUE INDEX users_by_subject ON users (issuer, subject) WHERE subject IS NOT NULL;
CREATE INDEX user_roles_by_app ON user_roles (app_id, user_id);
CREATE UNIQUE INDEX user_sessions_by_token ON user_sessions (token_hash);
CREATE INDEX user_sessions_by_user ON user_sessions (user_id, id);
CREATE INDEX user_sessions_by_expiry ON user_sessions (expires_at);
CREATE INDEX rehearsals_by_campaign ON rehearsals (campaign_id, id);
CREATE INDEX rehearsals_by_app ON rehearsals (app_id, id);
CREATE INDEX rehearsals_open ON rehearsals (id) WHERE ended_at IS NULL;
CREATE INDEX campaign_versions_naming ON campaign_versions (app_id, campaign_id) WHERE names_people = 1;
CREATE INDEX campaign_approvals_by_campaign ON campaign_approvals (campaign_id, id);
CREATE INDEX campaign_comments_by_campaign ON campaign_comments (campaign_id, id);
CREATE INDEX campaign_comments_by_user ON campaign_comments (author_user) WHERE author_user IS NOT NULL;
CREATE INDEX campaigns_by_app_listed ON campaigns (app_id, id) WHERE deleted_at IS NULL;
CREATE INDEX campaigns_by_status ON campaigns (app_id, status, id) WHERE deleted_at IS NULL;
CREATE INDEX contact_links_by_contact ON contact_links (contact_id, at);
CREATE INDEX devices_unlinked ON devices (app_id, lower(client_id), client_id) WHERE contact_id IS NULL;
CREATE INDEX campaigns_to_sum ON campaigns (sum_due_at) WHERE launched_at IS NOT NULL;
CREATE INDEX campaigns_by_launch ON campaigns (app_id, launched_at) WHERE launched_at IS NOT NULL;
CREATE INDEX campaigns_unfinished ON campaigns (app_id, id)
WHERE status IN ('scheduled', 'sending', 'paused', 'active');
CREATE INDEX campaigns_drafts ON campaigns (app_id, id) WHERE status = 'draft';
CREATE INDEX audit_log_by_actor ON audit_log (actor, id);
CREATE INDEX audit_log_changes_by_actor ON audit_log (actor, id)
WHERE action NOT IN ('read', 'repeat');
CREATE INDEX registrations_by_contact ON registrations (contact_id, device_id, revision)
WHERE contact_id IS NOT NULL;
CREATE INDEX dormant_devices_by_app ON dormant_devices (app_id, id);
CREATE INDEX dormant_devices_by_client ON dormant_devices (app_id, lower(client_id));
CREATE INDEX dormant_devices_by_contact ON dormant_devices (contact_id, id);
CREATE INDEX dormant_devices_unlinked ON dormant_devices (app_id, lower(client_id), client_id)
WHERE contact_id IS NULL;
CREATE INDEX campaigns_with_ledger ON campaigns (app_id, ended_at, id)
WHERE launched_at IS NOT NULL AND ended_at IS NOT NULL AND ledger_removed_at IS NULL;
CREATE INDEX campaigns_losing_ledger ON campaigns (id)
WHERE ledger_removed_at IS NOT NULL AND ledger_gone = 0;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('apps',2);
INSERT INTO "sqlite_sequence" VALUES('admin_keys',1);
INSERT INTO "sqlite_sequence" VALUES('contacts',3);
INSERT INTO "sqlite_sequence" VALUES('campaigns',4);
INSERT INTO "sqlite_sequence" VALUES('work_attempts',11);
INSERT INTO "sqlite_sequence" VALUES('devices',3);
INSERT INTO "sqlite_sequence" VALUES('erasures',1);
INSERT INTO "sqlite_sequence" VALUES('users',2);
INSERT INTO "sqlite_sequence" VALUES('user_sessions',1);
INSERT INTO "sqlite_sequence" VALUES('rehearsals',2);
INSERT INTO "sqlite_sequence" VALUES('campaign_approvals',2);
INSERT INTO "sqlite_sequence" VALUES('campaign_comments',2);
