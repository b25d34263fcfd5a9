import BelfryModel
import BelfryRules
import Foundation

/// Records events durably on the calling thread, without waiting for the sync engine (EVT-1).
struct EventRecorder: Sendable {
    let storage: DeviceStorage
    let uploads: UploadPolicy
    let environment: DeviceEnvironment
    let signal: LoopSignal
    let reporter: ClientReporter

    func track(_ name: String, attributes: [String: AttributeValue]) throws(BelfryError) {
        let parsed: EventName
        do throws(ValueError) {
            parsed = try EventName(name)
        } catch {
            throw BelfryError(.invalidEvent, error.message, field: "name")
        }
        let opened = try storage.opened()
        try EventBody.rejectNull(in: attributes)
        let event = try queued(.custom, parsed, attributes: attributes)
        noticed(try opened.store.append(event), by: event)
    }

    /// Records an event about a push, once for each push and kind (PUSH-22).
    ///
    /// - Returns: false when it was already recorded.
    func record(
        _ name: EventName,
        of push: ReceivedPush,
        attributes: [String: AttributeValue] = [:]
    ) throws(BelfryError) -> Bool {
        let sid = push.payload.sid
        var attributes = attributes
        attributes["sid"] = .string(sid)
        let opened = try storage.opened()
        let event = try queued(.internal, name, attributes: attributes)
        guard let growth = try opened.store.append(event, oncePer: sid, kind: name.rawValue) else { return false }
        noticed(growth, by: event)
        return true
    }

    /// Whether this was not recorded for the push yet.
    func isNew(_ name: EventName, of push: ReceivedPush) throws(BelfryError) -> Bool {
        try !storage.opened().store.remembers(push.payload.sid, kind: name.rawValue)
    }

    /// An event of a session, for the engine to store together with the session.
    func queued(_ event: SessionEvent, owner: Int) throws(BelfryError) -> QueuedEvent {
        switch event {
        case .appStart(let date):
            return try queued(
                .internal,
                .appStart,
                attributes: try losses(),
                at: date,
                context: TrackingContext(owner: owner)
            )
        case .sessionStart(let id, let date):
            return try queued(.internal, .sessionStart, at: date, context: TrackingContext(owner: owner, sessionID: id))
        case .sessionEnd(let id, let date, let duration):
            return try queued(
                .internal,
                .sessionEnd,
                // Milliseconds, as in v3 clients.
                attributes: ["duration": .number((duration * 1000).rounded())],
                at: date,
                context: TrackingContext(owner: owner, sessionID: id)
            )
        }
    }

    /// The number of events that the queue's limits have dropped since the installation, for the server's figures
    /// (EVT-5). It is the total and not the difference, so that nothing is missing when this event is dropped too.
    private func losses() throws(BelfryError) -> [String: AttributeValue] {
        let store = try storage.opened().store
        let dropped = try store.counter(CounterName.queueFull) + store.counter(CounterName.tooOld)
        return dropped > 0 ? ["droppedEvents": .number(Double(dropped))] : [:]
    }

    func queued(
        _ kind: Event.Kind,
        _ name: EventName,
        attributes: [String: AttributeValue]
    ) throws(BelfryError) -> QueuedEvent {
        let context = storage.context.withLock { $0 }
        return try queued(kind, name, attributes: attributes, at: environment.now(), context: context)
    }

    /// - Parameter id: nil for a new one.
    func queued(
        _ kind: Event.Kind,
        _ name: EventName,
        attributes: [String: AttributeValue] = [:],
        at date: Date,
        context: TrackingContext,
        id: EventID? = nil
    ) throws(BelfryError) -> QueuedEvent {
        let event = Event(
            id: id ?? EventID(environment.makeUUID()),
            kind: kind,
            name: name,
            timestamp: date,
            attributes: try EventBody.attributes(attributes),
            sessionID: context.sessionID
        )
        let body = try EventBody.json(event)
        let isAwaited = storage.triggers.awaits(name)
        let trigger = isAwaited ? TriggerEvent(name: name.rawValue, attributes: attributes) : nil
        return QueuedEvent(owner: context.owner, trackedAt: date, body: body, trigger: trigger)
    }

    /// Wakes the engine when there is something new to decide, not for every event, nor for one that was not recorded.
    /// An event for which a message waits is passed on to the triggers.
    func noticed(_ growth: QueueGrowth, by event: QueuedEvent) {
        if growth.isTaken, let trigger = event.trigger { storage.triggers.add([trigger]) }
        if growth.dropped > 0 { reporter.report(.eventsDropped(count: growth.dropped, reason: .queueFull)) }
        let isFirst = growth.before.count == 0 && growth.after.count > 0
        let isFull = growth.before.count < uploads.flushCount && growth.after.count >= uploads.flushCount
        let isLarge = growth.before.bytes < uploads.flushBytes && growth.after.bytes >= uploads.flushBytes
        if isFirst || isFull || isLarge { signal.wake() }
    }
}

/// Screens of the app, and events about in-app messages (IAM-5, IAM-9).
extension EventRecorder {
    /// A screen of the app is shown.
    func trackScreen(_ name: String, attributes: [String: AttributeValue]) throws(BelfryError) {
        let parsed: EventName
        do throws(ValueError) {
            parsed = try EventName(name)
        } catch {
            throw BelfryError(.invalidEvent, error.message, field: "name")
        }
        var attributes = attributes
        attributes["name"] = .string(parsed.rawValue)
        let opened = try storage.opened()
        try EventBody.rejectNull(in: attributes)
        let event = try queued(.internal, .screen, attributes: attributes)
        noticed(try opened.store.append(event), by: event)
    }

    /// An event about a message, for the engine to store together with its in-app state.
    ///
    /// - Parameter name: an event such as `inapp:viewed`.
    func queued(
        _ name: EventName,
        of message: InAppName,
        _ attributes: [String: AttributeValue] = [:],
        at date: Date,
        context: TrackingContext
    ) throws(BelfryError) -> QueuedEvent {
        var attributes = attributes
        attributes["campaignId"] = .string(message.campaign)
        attributes["messageId"] = .string(message.message)
        return try queued(.internal, name, attributes: attributes, at: date, context: context)
    }
}

/// The ids by which events name a message.
struct InAppName: Hashable, Sendable {
    let message: String
    let campaign: String
}

extension InAppPresentationID {
    var name: InAppName { InAppName(message: messageID, campaign: campaignID) }
}

extension InlineUses.Use {
    var name: InAppName { InAppName(message: message.id, campaign: message.campaignID) }
}

/// Displays and opens of message center messages (ENG-2, ENG-3).
extension EventRecorder {
    /// A longer id does not belong to a message.
    static let maximumMessageIDLength = 128

    /// A message was opened: counted each time.
    func trackOpen(of message: String) throws(BelfryError) {
        try Self.check(message)
        let opened = try storage.opened()
        let event = try queued(.internal, .messageCenterOpen, attributes: Self.attributes(message))
        noticed(try opened.store.append(event), by: event)
    }

    /// The event that counts a display, for the engine to store together with the session.
    func display(of message: String, id: String, at date: Date) throws(BelfryError) -> QueuedEvent {
        let context = storage.context.withLock { $0 }
        return try queued(
            .internal,
            .messageCenterDisplay,
            attributes: Self.attributes(message),
            at: date,
            context: context,
            id: try? EventID(id)
        )
    }

    /// - Throws: ``BelfryError/Code/invalidEvent`` for an invalid message id.
    static func check(_ message: String) throws(BelfryError) {
        guard !message.isEmpty, message.count <= maximumMessageIDLength, !message.utf8.contains(0) else {
            throw BelfryError(
                .invalidEvent,
                "The id of a message has 1 to \(maximumMessageIDLength) characters, none of them the null character.",
                field: "messageID"
            )
        }
    }

    private static func attributes(_ message: String) -> [String: AttributeValue] {
        ["messageId": .string(message)]
    }
}
