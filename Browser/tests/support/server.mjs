// A real server and a simulated push service, as the tests of a real browser need them: the built program `belfry`.
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const BUILT = fileURLToPath(new URL("../../../Server/.build/debug/belfry", import.meta.url));
export const PROGRAM = existsSync(BUILT) ? BUILT : undefined;

/** Below those that the system gives to outgoing connections by itself. */
const freePort = () => new Promise((resolve) => {
  const server = createServer().listen(10_000 + Math.floor(Math.random() * 10_000), "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
  server.once("error", () => resolve(freePort()));
});

/** The first value that is not undefined; asked for again and again. */
export async function eventually(what, find) {
  for (const end = Date.now() + 300_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const found = await find();
    if (found !== undefined) return found;
  }
  throw new Error(`it never happened that ${what}`);
}

export class Server {
  #folder = mkdtempSync(join(tmpdir(), "belfry-server-"));
  #processes = [];

  /** Starts both, with an app `shop` that has a key pair for Web Push. */
  async start() {
    const roots = join(this.#folder, "root.pem");
    this.control = await this.#run(["simulate", "push-services", "--trust-root-file", roots], /^Control API\s+(\S+)$/m);
    const port = await freePort();
    this.origin = `http://127.0.0.1:${port}`;
    const data = join(this.#folder, "data");
    await this.#run(["serve", "--port", port, "--data", data, "--public-url", this.origin, "--allow-private-endpoints", "--rate-limit", "off"], /^(Belfry listens on)/m);
    this.keyFile = join(data, "admin-key");
    this.key = readFileSync(this.keyFile, "utf8").trim();
    await this.belfry("app", "create", "shop");
    await this.belfry("app", "credentials", "webpush", "shop", "--subject", "mailto:ops@example.com", "--generate", "--key", join(this.#folder, "key"), "--trust-roots", roots);
    return this;
  }

  /** Runs the program until it has said this; gives what it said. */
  #run(options, said) {
    const process = spawn(PROGRAM, options.map(String), { stdio: ["ignore", "pipe", "ignore"], env: this.#settings() });
    this.#processes.push(process);
    return new Promise((resolve, reject) => {
      let text = "";
      process.stdout.setEncoding("utf8").on("data", (part) => {
        text += part;
        const found = said.exec(text);
        if (found) resolve(found[1]);
      });
      process.once("exit", (status) => reject(new Error(`belfry ${options[0]} ended with ${status}: ${text}`)));
    });
  }

  #settings() {
    const others = Object.entries(process.env).filter(([name]) => !name.startsWith("BELFRY_"));
    return { ...Object.fromEntries(others), BELFRY_DISK_FLOOR: "off" };
  }

  /** A command, as an operator types it. */
  async belfry(...options) {
    const { stdout } = await promisify(execFile)(PROGRAM, [...options, "--server", this.origin, "--key-file", this.keyFile], { env: this.#settings() });
    return stdout;
  }

  async ask(url, options) {
    const response = await fetch(url, options);
    const text = await response.text();
    return { status: response.status, json: text ? JSON.parse(text) : undefined };
  }

  /** The admin API of the app. */
  async api(method, path, body) {
    const headers = { Authorization: `Bearer ${this.key}`, "Content-Type": "application/json" };
    return this.ask(`${this.origin}/api/v1/apps/shop${path}`, { method, headers, body: body && JSON.stringify(body) });
  }

  async close() {
    await Promise.all(this.#processes.map((process) => new Promise((resolve) => {
      process.removeAllListeners("exit");
      process.once("exit", resolve);
      if (process.exitCode !== null) resolve();
      process.kill("SIGTERM");
    })));
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}
