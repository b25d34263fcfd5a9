import BelfryModel
import BelfryRules
import BelfryWire

/// Processes the notes of the notification service extension (PUSH-8, MC-4, BADGE-6).
extension PushCoordinator {
    /// Processes the pushes that arrived while the app did not run, or before it is told about them. Each note is
    /// removed only once the push is durable here. After a kill in between it is processed again, which changes
    /// nothing.
    func takeNotes() async throws(BelfryError) {
        guard let folder = engine.context.storage.shared else { return }
        let notes = folder.notes()
        guard !notes.isEmpty else { return }
        for note in notes {
            try await take(note)
            folder.remove(note)
        }
        await engine.badge.show()
    }

    private func take(_ note: PushNote) async throws(BelfryError) {
        guard let push = ReceivedPush(payload: note.payload) else { return }
        let owner = try await engine.step { step throws(BelfryError) -> Int? in
            // A note for an earlier installation, or for one that was wiped, does not concern this one (REG-36).
            guard step.state.privacy.rest == nil, note.deviceID ?? step.state.id.rawValue == step.state.id.rawValue
            else {
                return nil
            }
            // The push arrived for a former person, so it announces nothing to the present one (ID-4).
            guard step.state.pushFilter.dropReason(of: push) == nil else { return note.owner }
            PushMachine.notice(push, isNew: try step.recorder.isNew(.pushReceived, of: push), in: &step)
            return note.owner ?? step.state.sync.link.owner
        }
        guard let owner else { return }
        try engine.context.recorder.record(note, owner: owner)
    }
}

extension EventRecorder {
    /// Records that the extension has received a push, with its time and its id, unless it is known.
    func record(_ note: PushNote, owner: Int) throws(BelfryError) {
        let event = QueuedEvent(owner: owner, trackedAt: note.receivedAt, body: try note.event())
        let store = try storage.opened().store
        let kind = EventName.pushReceived.rawValue
        guard let growth = try store.append(event, oncePer: note.payload.sid, kind: kind) else { return }
        noticed(growth, by: event)
    }
}

/// The consequences of a push for the device.
enum PushMachine {
    /// A push may make fetches due and offer a contact to a re-installed app, once, and change the badge, each time (MC-4,
    /// IAM-3, REG-23, BADGE-5).
    static func notice(_ push: ReceivedPush, isNew: Bool, in step: inout DeviceStep) {
        let former = step.state.sync
        if isNew { takeNews(of: push, in: &step) }
        if let badge = push.payload.badge, step.configuration.badgesEnabled {
            step.state.sync.badge.received(badge, by: push.payload.sid)
        }
        if step.state.sync != former { step.then(.wake) }
    }

    /// Requests the fetches that a push announces.
    static func takeNews(of push: ReceivedPush, in step: inout DeviceStep) {
        let words = push.payload.sync ?? []
        if words.contains(PushPayload.messageCenterSync) { step.state.sync.centers.requestFetch() }
        if words.contains(PushPayload.inAppSync) { step.state.sync.inApp.requestFetch() }
        if let nonce = push.payload.nonce, step.state.record.contactKey == nil {
            _ = step.state.sync.link.receivedNonce(nonce, for: push.payload.to)
        }
    }
}
