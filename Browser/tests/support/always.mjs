// What holds in every scenario, whatever it says ("What always holds").
import assert from "node:assert/strict";

const OPEN = new Set(["POST /client", "POST /client/contact", "POST /client/contact-token", "GET /client/web-push-key"]);

export function checkAlways(requests, { steps }) {
  const isFresh = steps.some((step) => "wipe" in step || JSON.stringify(step).includes('"erased"'));
  const isClockMoved = steps.some((step) => "setClock" in step || "wipe" in step);
  const events = new Map();
  const registrations = [];
  requests.forEach((request, place) => {
    const { headers, body } = request;
    const before = requests[place - 1];
    const isOther = before && before.headers["x-client-id"] !== headers["x-client-id"];
    assert.ok(headers["x-client-id"], "X-Client-Id is there");
    if (isOther) assert.ok(isFresh, "X-Client-Id is the same in all requests");
    assert.match(headers["x-request-order"], /^\d+$/);
    if (before) assert.ok(Number(headers["x-request-order"]) > Number(before.headers["x-request-order"]), "X-Request-Order grows");
    if (!isFresh) assert.equal(headers["x-client-state"], request.state, `${request.request} sends the newest state`);
    const hasBody = body !== null;
    const isFree = request.request === "POST /client/contact-token" || (request.request === "POST /client/contact" && hasBody);
    const token = headers["x-contact-token"];
    if (token && !isFresh) assert.equal(token, request.token, `${request.request} has the newest token`);
    if (isFree) assert.equal(headers["x-contact-token"], undefined, `${request.request} has no token`);
    else if (!OPEN.has(request.request)) assert.ok(headers["x-contact-token"], `${request.request} has a token`);
    if (hasBody) {
      assert.ok(request.hasContentType);
      assert.ok(!hasNull(body), `no null in ${JSON.stringify(body)}`);
    }
    for (const event of body?.events ?? []) {
      assert.ok(event.id.length >= 1 && event.id.length <= 64 && event.name && event.timestamp);
      const said = JSON.stringify([event.name, event.timestamp, event.attributes]);
      assert.equal(said, events.get(event.id) ?? said, "an event is sent again as it was");
      events.set(event.id, said);
    }
    if (request.request === "POST /client/registration") registrations.push(request);
  });
  registrations.forEach(({ body, headers, at }, place) => {
    const before = registrations[place - 1];
    assert.equal(body.deviceId, headers["x-client-id"]);
    if (!before || before.body.deviceId !== body.deviceId) return;
    assert.ok(body.revision > before.body.revision, "revisions grow");
    assert.notEqual(body.registrationId, before.body.registrationId);
    if (!isClockMoved) assert.ok(at - before.at >= 60_000, `registrations at ${before.at} and ${at}`);
  });
}

const hasNull = (value) => value === null || (typeof value === "object" && Object.values(value).some(hasNull));
