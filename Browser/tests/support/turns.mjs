// Time without a clock.

/** How many turns of the loop a patience lasts: several times what any step of a fake storage takes. */
const TURNS = 3000;

/** Stands in for `setTimeout`, whatever the delay. */
export function afterTurns(act, _delay, ...values) {
  let left = TURNS;
  const turn = () => ((left -= 1) > 0 ? setImmediate(turn) : act(...values));
  setImmediate(turn);
}
