import BelfryRules
import Foundation

/// One step of the device's life before it is stored: the new state, and what happens to the queue with it.
struct StateDraft: Sendable {
    var state: DeviceState
    var change = StoreChange()
    /// Told after the step was stored.
    var reports: [ClientReport] = []
    /// Another person uses the device from now on.
    var changesPerson = false
    /// What was fetched and not handed out yet is for somebody who has left (MC-12).
    var purgesFeed = false
    /// Told after the step was stored.
    var news: CenterNews?
    /// The in-app messages on the device after the step; nil when it changes none of them.
    var shelf: InAppShelf?
    /// What is on the screen, or on its way there, in the app's own views, is for somebody who has left (IAM-11).
    var swapsInApp = false
    /// The ids of messages that nobody is to see any more (IAM-10).
    var recalledInApp: Set<String> = []
    /// The tickets of inline messages that are not to be seen any more.
    var endedInlines: Set<Int> = []
    /// Places in the app's own views may have another message after the step.
    var offersInlines = false
    /// What is to be done about in-app messages after the step was stored.
    var inApp: [InAppEffect] = []
    /// What those who wait get, after the step was stored.
    private(set) var answers: [(number: Int, outcome: AwaitedCall.Outcome)] = []

    init(_ state: DeviceState) {
        self.state = state
    }

    /// Takes note that the record may have become another one.
    mutating func noticeRecord(now: Date) {
        state.sync.registration.noticed(state.recordDigest, now: now)
    }

    /// Another contact's messages are shown from now on, and none of the former one's (MC-12).
    mutating func swapCenters() {
        state.sync.centers.contactChanged()
        change.centers.append(.purge)
        purgesFeed = true
    }

    /// The same of in-app messages (IAM-11).
    mutating func swapInApp() {
        state.sync.inApp.contactChanged()
        change.inApp = [.purge]
        shelf = InAppShelf()
        swapsInApp = true
    }

    /// - Parameter number: of the one who waits; nil when nobody does.
    mutating func answer(_ number: Int?, _ outcome: AwaitedCall.Outcome) {
        if let number { answers.append((number, outcome)) }
    }

    /// Takes rows out of the queue; the refused ones among them are kept aside with their reasons (EVT-4).
    ///
    /// - Parameter rows: neighbours in the queue, in order.
    mutating func takeOut(_ rows: [Int64], refused: [(row: Int64, reason: String)]) {
        guard let first = rows.first, let last = rows.last else { return }
        change.settled = first...last
        change.setAside += refused.map { StoreChange.SetAside(id: $0.row, reason: $0.reason) }
        for (reason, events) in Dictionary(grouping: refused, by: { $0.reason }) {
            reports.append(.eventsSetAside(count: events.count, reason: reason))
        }
    }

    /// Queues the events of a session under the contact to whom it belongs, if events are recorded (REG-36).
    mutating func add(
        _ events: [SessionEvent],
        owner: Int,
        recorder: EventRecorder
    ) throws(BelfryError) {
        guard state.privacy.takesEvents else { return }
        for event in events {
            var queued = try recorder.queued(event, owner: owner)
            // The start of a session is judged in the step that stores it.
            if event.triggerEvent != nil { queued.trigger = nil }
            change.events.append(queued)
        }
    }
}

extension DeviceState {
    /// The digest of the record as it may be told of the present person.
    var recordDigest: StableDigest {
        StableDigest(record: record.reported, person: sync.link.person)
    }
}
