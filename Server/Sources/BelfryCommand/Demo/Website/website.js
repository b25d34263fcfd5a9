// This browser as a device of the demonstration (WEB-8).
import { app, server, version } from "./settings.js";

const STATES = {
  default: "This browser has not been asked yet.",
  denied: "This browser blocks the notifications of this page. Allow them in its settings, and load the page again.",
  granted: "Allowed. The browser asks its push service for an address …",
  subscribed: "This browser gets the pushes of the demonstration.",
  unsupported: "This browser has no pushes.",
};
const part = (id) => document.getElementById(id);
const wait = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

function say(text, link) {
  const line = document.createElement("li");
  line.append(`${new Date().toLocaleTimeString()} · ${text}`);
  if (link) line.append(" ", Object.assign(document.createElement("a"), link));
  part("log").prepend(line);
}

async function start() {
  const { Belfry } = await import(`${server}/sdk/${version}/belfry.js`);
  const belfry = await Belfry.start({ appCode: app, serverURL: server, appVersion: "1.0", worker: { url: "/belfry-sw.js" } });
  const { deviceId } = await belfry.state();
  part("device").textContent = deviceId;
  belfry.on("report", ({ type, message }) => say(`The SDK reports ${type}${message ? `: ${message}` : ""}.`));
  belfry.on("push", ({ campaign }) => say(`You have clicked on the notification of campaign ${campaign}.`));
  const paint = () => {
    part("state").textContent = STATES[belfry.pushState];
    part("allow").disabled = belfry.pushState !== "default";
    part("send").disabled = belfry.pushState !== "subscribed";
  };
  part("allow").addEventListener("click", () => belfry.requestPushPermission().then(paint));
  part("send").addEventListener("click", () => send(deviceId).catch(({ message }) => say(message)));
  setInterval(paint, 1000);
  paint();
}

/** Sends a push to this device, and shows its state in the ledger until it is opened. */
async function send(device) {
  let answer = await fetch(`/pushes/${device}`, { method: "POST" });
  if (answer.status === 409) say("The server hears within a minute that this browser may get pushes. Then it is sent …");
  for (let left = 90; answer.status === 409 && left; left -= 1) {
    await wait(1);
    answer = await fetch(`/pushes/${device}`, { method: "POST" });
  }
  if (!answer.ok) throw new Error(await answer.text());
  const { campaign } = await answer.json();
  say(`Campaign ${campaign} was launched.`, { href: `${server}/console/apps/${app}/campaigns/${campaign}`, textContent: "Its page" });
  let told;
  for (let left = 600; left; left -= 1) {
    const { sentence, end } = await (await fetch(`/pushes/${device}/${campaign}`)).json();
    if (sentence !== told) say(sentence);
    if (end) return;
    told = sentence;
    await wait(1);
  }
}

part("compose").href = `${server}/console/apps/${app}`;
start().catch(({ message }) => { part("state").textContent = `The SDK did not start: ${message}`; });
