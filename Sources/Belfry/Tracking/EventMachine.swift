import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// The upload of queued events (EVT-2 to EVT-5).
enum EventMachine {
    /// The next events that may be sent. Events whose contact is unknown leave the queue without a call.
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
        case .orphans(let rows):
            takeOut(rows, deadLetters: rows.map { (row: $0, reason: EventOwners.orphanReason) }, in: &step)
            return nil
        case .nothing:
            return nil
        }
    }

    static func uploaded(_ batch: EventBatch, _ response: ServerResponse, in step: inout DeviceStep) {
        step.noticeToken(response.outcome)
        let result = step.state.sync.uploads.answered(
            response.outcome,
            batchCount: batch.rows.count,
            now: step.now,
            random: step.jitter(),
            policy: step.configuration.uploads
        )
        switch result {
        case .stored:
            let said = try? CheckedJSON.response(EventBatchResponse.self, response.body)
            settle(batch, rejected: said?.rejected ?? [], in: &step)
        case .deadLetter(let reason):
            settle(batch, rejected: [RejectedEvent(index: 0, reason: reason)], in: &step)
        case .heldBack:
            if let failure = response.outcome.failure { step.then(.report(.eventsRefused(failure))) }
        case .kept:
            break
        }
    }

    /// Removes the batch from the queue; refused events become dead letters with their reasons (EVT-4).
    private static func settle(_ batch: EventBatch, rejected: [RejectedEvent], in step: inout DeviceStep) {
        let deadLetters = rejected.filter { batch.rows.indices.contains($0.index) }
            .map { event in
                (row: batch.rows[event.index], reason: String(event.reason.prefix(CallFailure.maximumMessageLength)))
            }
        takeOut(batch.rows, deadLetters: deadLetters, in: &step)
    }

    /// Removes rows from the queue; rejected events become dead letters with their reasons (EVT-4).
    ///
    /// - Parameter rows: adjacent in the queue, in order.
    private static func takeOut(
        _ rows: [Int64],
        deadLetters: [(row: Int64, reason: String)],
        in step: inout DeviceStep
    ) {
        guard let first = rows.first, let last = rows.last else { return }
        step.change.settled = first...last
        step.change.deadLetters += deadLetters.map { StoreChange.DeadLetter(id: $0.row, reason: $0.reason) }
        for (reason, events) in Dictionary(grouping: deadLetters, by: { $0.reason }) {
            step.then(.report(.eventsSetAside(count: events.count, reason: reason)))
        }
    }

    /// Drops events that are too old or too many (EVT-5). A change of the clock makes no event too old: their times are
    /// moved by the same amount, and checked in the next pass, which follows immediately.
    static func dropOld(in step: inout DeviceStep) throws(BelfryError) {
        if let steady = step.context.environment.steadyTime() {
            let jump = step.state.sync.clock.looked(at: steady, now: step.now)
            guard jump == 0 else {
                step.change.clockMove = StoreChange.ClockMove(jump: jump, now: step.now)
                return step.then(.wake)
            }
        }
        let store = try step.store
        let oldest = step.configuration.queueLimits.oldestAllowed(now: step.now)
        let tooOld = try store.dropEvents(before: oldest)
        let surplus = try store.dropSurplus()
        dropDeadLetters(before: oldest, in: &step)
        if tooOld > 0 { step.then(.report(.eventsDropped(count: tooOld, reason: .tooOld))) }
        if surplus > 0 { step.then(.report(.eventsDropped(count: surplus, reason: .queueFull))) }
    }

    /// Dead letters are kept no longer than queued events; this is checked once a day. Best effort, because only
    /// support reads them and nothing may wait for this.
    private static func dropDeadLetters(before oldest: Date, in step: inout DeviceStep) {
        if let last = step.process.deadLettersTidiedAt, last <= step.now, step.now.timeIntervalSince(last) < 86_400 {
            return
        }
        step.process.deadLettersTidiedAt = step.now
        try? step.store.dropDeadLetters(before: oldest)
    }
}
