import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// The queue of events on its way to the server (EVT-2 to EVT-5).
enum EventMachine {
    /// The next events that may leave. Those of which nobody knows the contact leave the queue without a call.
    static func uploadCall(
        _ limit: BatchLimit,
        _ requests: DeviceRequests,
        in step: inout DeviceStep
    ) throws(BelfryError) -> DeviceCall? {
        let waiting = try step.store.nextEvents(limit)
        let state = step.state
        let isHolding = SyncPlan.holdsBack(state.sync, record: state.record.reported, policy: step.policy)
        let owners = state.sync.link.eventOwners(holdsPresent: isHolding)
        switch EventBatch.next(of: waiting, limit: limit, owners: owners) {
        case .batch(let batch):
            return DeviceCall(purpose: .events(batch), request: requests.events(batch))
        case .strays(let rows):
            takeOut(rows, refused: rows.map { (row: $0, reason: EventOwners.strayReason) }, in: &step)
            return nil
        case .nothing:
            return nil
        }
    }

    static func uploaded(_ batch: EventBatch, _ answer: DeviceAnswer, in step: inout DeviceStep) {
        step.noticeToken(answer.outcome)
        let verdict = step.state.sync.uploads.answered(
            answer.outcome,
            batchCount: batch.rows.count,
            now: step.now,
            random: step.jitter(),
            policy: step.configuration.uploads
        )
        switch verdict {
        case .stored:
            let said = try? CheckedJSON.answer(EventBatchAnswer.self, answer.body)
            settle(batch, rejected: said?.rejected ?? [], in: &step)
        case .setAside(let reason):
            settle(batch, rejected: [RejectedEvent(index: 0, reason: reason)], in: &step)
        case .heldBack:
            if let failure = answer.outcome.failure { step.then(.report(.eventsRefused(failure))) }
        case .kept:
            break
        }
    }

    /// Takes the batch out of the queue; what was refused is kept aside with its reason (EVT-4).
    private static func settle(_ batch: EventBatch, rejected: [RejectedEvent], in step: inout DeviceStep) {
        let refused = rejected.filter { batch.rows.indices.contains($0.index) }
            .map { event in
                (row: batch.rows[event.index], reason: String(event.reason.prefix(CallFailure.maximumMessageLength)))
            }
        takeOut(batch.rows, refused: refused, in: &step)
    }

    /// Takes rows out of the queue; the refused ones among them are kept aside with their reasons (EVT-4).
    ///
    /// - Parameter rows: neighbours in the queue, in order.
    private static func takeOut(
        _ rows: [Int64],
        refused: [(row: Int64, reason: String)],
        in step: inout DeviceStep
    ) {
        guard let first = rows.first, let last = rows.last else { return }
        step.change.settled = first...last
        step.change.setAside += refused.map { StoreChange.SetAside(id: $0.row, reason: $0.reason) }
        for (reason, events) in Dictionary(grouping: refused, by: { $0.reason }) {
            step.then(.report(.eventsSetAside(count: events.count, reason: reason)))
        }
    }

    /// Lets events go that are too old or too many (EVT-5).
    static func dropOld(in step: inout DeviceStep) throws(BelfryError) {
        let store = try step.store
        let oldest = step.configuration.queueLimits.oldestAllowed(now: step.now)
        let tooOld = try store.dropEvents(before: oldest)
        let surplus = try store.dropSurplus()
        dropSetAside(before: oldest, in: &step)
        if tooOld > 0 { step.then(.report(.eventsDropped(count: tooOld, reason: .tooOld))) }
        if surplus > 0 { step.then(.report(.eventsDropped(count: surplus, reason: .queueFull))) }
    }

    /// What the server refused is kept no longer than what waits, looked at once a day. Best effort: it is only support
    /// that reads it, and nothing else may wait for it.
    private static func dropSetAside(before oldest: Date, in step: inout DeviceStep) {
        if let last = step.process.asideLookedAt, last <= step.now, step.now.timeIntervalSince(last) < 86_400 { return }
        step.process.asideLookedAt = step.now
        try? step.store.dropSetAside(before: oldest)
    }
}
