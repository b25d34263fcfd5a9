// A website of one origin, and a server of another one: the SDK's files and the device API as a table of answers.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const TYPES = { js: "text/javascript", mjs: "text/javascript", html: "text/html", css: "text/css" };
const listen = (server) => new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(`http://localhost:${server.address().port}`)));

/** Serves the pages that are given, by their paths. */
export async function website(pages) {
  const server = createServer((request, response) => {
    const path = new URL(request.url, "http://site").pathname;
    const page = pages[path];
    response.writeHead(page === undefined ? 404 : 200, { "Content-Type": TYPES[path.split(".").pop()] ?? "text/html", "Cache-Control": "no-store", ...pages.headers });
    response.end(page ?? "");
  });
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: await listen(server), close };
}

/** A device API that accepts everything, until `answer` says otherwise. */
export class Api {
  requests = [];
  events = [];
  /** The SDK's files that were sent: their names, and their bytes as a server sends them. */
  files = [];
  answer = () => undefined;
  #waiting = [];
  #tokens = 0;
  #states = 0;

  /** `keepsFiles`: a browser may keep the files, as those of a real server. */
  constructor({ keepsFiles = false } = {}) {
    this.keepsFiles = keepsFiles;
  }

  async start() {
    this.server = createServer((request, response) => this.#serve(request, response));
    this.origin = await listen(this.server);
    return this;
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** Resolves when what has arrived fulfils the condition. */
  until(condition) {
    return condition(this) ? Promise.resolve() : new Promise((resolve) => this.#waiting.push({ condition, resolve }));
  }

  async #serve(request, response) {
    const cors = {
      "Access-Control-Allow-Origin": request.headers.origin ?? "*", "Access-Control-Expose-Headers": "X-Client-State, Retry-After, Date", Vary: "Origin",
      "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE", "Access-Control-Allow-Headers": request.headers["access-control-request-headers"] ?? "",
    };
    const url = new URL(request.url, this.origin);
    const file = /^\/sdk\/[^/]+\/([\w-]+\.(js|html))$/.exec(url.pathname);
    if (request.method === "OPTIONS") return response.writeHead(204, cors).end();
    if (file) return this.#sendFile(file[1], TYPES[file[2]], response, cors);
    let text = "";
    for await (const part of request) text += part;
    const call = { name: `${request.method} ${url.pathname.replace("/v3/apps/shop", "")}`, headers: request.headers, body: text ? JSON.parse(text) : null };
    this.requests.push(call);
    const { status, json } = this.answer(call) ?? this.#accept(call);
    if (status < 300 && call.name === "POST /client/events") {
      for (const event of call.body.events) if (!this.events.some(({ id }) => id === event.id)) this.events.push(event);
    }
    this.#states += 1;
    response.writeHead(status, { ...cors, "X-Client-State": `state-${this.#states}`, "Content-Type": "application/json" }).end(json ? JSON.stringify(json) : "");
    this.#waiting = this.#waiting.filter(({ condition, resolve }) => !condition(this) || resolve());
  }

  #sendFile(name, type, response, cors) {
    const body = gzipSync(readFileSync(new URL(`../../${name}`, import.meta.url)), { level: 9 });
    this.files.push({ name, bytes: body.length });
    const kept = this.keepsFiles ? { "Cache-Control": "public, max-age=31536000, immutable" } : {};
    response.writeHead(200, { ...cors, ...kept, "Content-Type": type, "Content-Encoding": "gzip" }).end(body);
  }

  #accept({ name, body }) {
    const tokens = () => {
      this.#tokens += 1;
      const n = String(this.#tokens).padStart(8, "0");
      return { contactToken: `token-${n}`, refreshToken: `refresh-${n}`, contactReference: `tag-${n}.reference` };
    };
    switch (name) {
      case "POST /client/contact": return { status: 200, json: tokens() };
      case "POST /client/registration": return { status: 201, json: { registrationId: body.registrationId, revision: body.revision, status: "received" } };
      case "GET /client/message-centers": return { status: 200, json: { messageCenters: [] } };
      default: return { status: 204 };
    }
  }
}
