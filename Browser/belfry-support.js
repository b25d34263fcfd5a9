// The state of the SDK, for support (REG-14).
import { next } from "./belfry-calls.js";
import { digestOf, rebase, VERSION } from "./belfry-state.js";

export async function describe(engine, pushState) {
  const s = await engine.read();
  const { state, queue, messages } = s;
  const rebased = structuredClone(state);
  rebase(s.now, rebased.registration, rebased.centers, ...Object.values(rebased.gates));
  const outlook = next({ ...s, state: rebased });
  const { registration, gates, link: { pending, linked } } = state;
  const target = (pending.at(-1) ?? linked)?.target;
  const errorOf = (name) => gates[name]?.error ?? null;
  return {
    deviceId: state.id, appCode: engine.config.appCode, sdkVersion: VERSION,
    contact: target ? (target === "anonymous" ? target : "known") : "none", linkIsPending: pending.length > 0,
    propertiesError: errorOf("properties"), linkError: errorOf("link"), refreshError: errorOf("refresh"),
    pushTokenError: errorOf("pushToken"),
    trackingEnabled: state.isTracking, erased: state.rest === "erased", isResting: state.rest != null, pushState,
    consent: { pushEnabled: state.record.pushEnabled, osPushEnabled: state.record.osPushEnabled },
    registration: {
      isPending: registration.accepted !== digestOf(state), acceptedRevision: registration.acceptedRevision,
      lastAttemptAt: registration.attemptAt, lastError: errorOf("registration"),
      rejected: registration.person === state.link.person ? (registration.result?.rejected ?? []) : [],
    },
    next: outlook.do ? { call: outlook.do } : { at: outlook.until, reason: outlook.reason ?? outlook.idle },
    queue: {
      count: queue.count, bytes: queue.bytes, droppedFull: queue.droppedFull, droppedOld: queue.droppedOld,
      setAside: queue.setAside, deadLetters: state.deadLetters ?? [], lastError: state.uploads.error,
    },
    messageCenter: {
      isEnabled: state.centers.isEnabled, fetchedAt: state.centers.fetchedAt, pendingStates: messages.pending.length,
      lastError: errorOf("centers"),
    },
    badge: state.badge, serverClockOffset: state.clockOffset, isOnline: s.isOnline, isLeading: engine.isLeading === true,
    appState: state.appState,
  };
}

/** The contact record as the site has set it (REG-8). */
export async function record(engine) {
  const { contactKey, attributes, tags, pushEnabled } = (await engine.read()).state.record;
  return { contactKey, attributes, tags: [...tags].sort(), pushEnabled };
}
