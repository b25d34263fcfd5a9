import BelfryRules
import Foundation

/// One step of the device's life before it is stored: the new state, and what happens to the queue with it.
struct StateDraft: Sendable {
    var state: DeviceState
    var change = StoreChange()
    /// Told after the step was stored.
    var reports: [ClientReport] = []

    init(_ state: DeviceState) {
        self.state = state
    }

    /// Takes note that the record may have become another one.
    mutating func noticeRecord(now: Date) {
        state.sync.registration.noticed(state.recordDigest, now: now)
    }

    /// Queues the events of a session under the contact to whom it belongs, if events are recorded (REG-36).
    mutating func add(
        _ events: [SessionEvent],
        owner: Int,
        recorder: EventRecorder
    ) throws(BelfryError) {
        guard state.privacy.takesEvents else { return }
        for event in events {
            change.events.append(try recorder.queued(event, owner: owner))
        }
    }
}

extension DeviceState {
    /// The digest of the record as it may be told.
    var recordDigest: StableDigest {
        StableDigest(record: record.reported)
    }
}
