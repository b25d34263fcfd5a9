// The choice about tracking, and the end of an installation (REG-36).
import { flag, freshState, show } from "./belfry-state.js";

/** Everything is gone; what stays is a new installation's id, and the choice about tracking (REG-36). */
export function wipe(s, reason) {
  const { isTracking, order, appState, rest, push, record } = s.state;
  s.state = { ...freshState(s.uuid()), isTracking, order, appState, rest: rest === "erased" ? rest : reason };
  // What is shown of the person goes, and the next installation gets a subscription of its own (ID-4).
  s.state.push.isStale = push.isStale || record.pushToken != null;
  Object.assign(s.messages, { centers: [], disabled: [], pending: [] });
  Object.assign(s, { isPurged: true, append: [], isNews: true });
  if (reason === "erased") s.reports.push({ type: "erased" });
}

export function setTracking(engine, given) {
  const isEnabled = flag(given, "isEnabled");
  return engine.step((s) => {
    const { state } = s;
    if (state.isTracking === isEnabled) return;
    state.isTracking = isEnabled;
    if (isEnabled) {
      if (engine.edge.isVisible() && !state.rest) show(s, false);
      return;
    }
    Object.assign(state, { session: null, deadLetters: [] });
    s.isPurged = true;
  });
}
