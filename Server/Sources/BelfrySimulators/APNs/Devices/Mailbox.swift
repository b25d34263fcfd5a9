import Foundation

/// What the service holds for one device, and what becomes of the next push.
///
/// Apple stores one notification per app, "in most cases the latest". This one is kinder, so that a test sees all
/// that it sent: one per collapse id and each without, up to a limit, the oldest going first. It is also stricter:
/// an expiration of 0 means delivered now or never.
struct Mailbox: Sendable, Equatable {
    /// Whether the device is there.
    enum Presence: Sendable, Equatable {
        case away
        /// It listens to a stream.
        case listening
        /// It polls over HTTP; between two polls it counts as there until this time.
        case polling(until: Date)
    }

    /// What to do with a push.
    enum Posting: Sendable, Equatable {
        /// The device listens: give it over.
        case handOver
        /// It waits here. It took the place of one with the same collapse id, or the oldest had to go.
        case kept(replaced: Bool, displaced: Bool)
        /// It expired, or was not to be stored.
        case discarded
    }

    /// How long a device that polls may stay away between two polls, in seconds.
    static let pollGrace: TimeInterval = 10
    /// Seconds; Apple: "APNs may store the notification for 30 days or less".
    static let retention: TimeInterval = 30 * 86_400

    var presence = Presence.away
    /// Oldest first.
    private(set) var waiting: [SimulatedNotification] = []
    private var lastSequence = 0

    mutating func nextSequence() -> Int {
        lastSequence += 1
        return lastSequence
    }

    mutating func post(_ notification: SimulatedNotification, now: Date, limit: Int) -> Posting {
        switch presence {
        case .listening:
            return .handOver
        case .polling(let until) where now <= until:
            return keep(notification, limit)
        case .away, .polling:
            let isStorable = notification.expiration != 0 && Self.isAlive(notification, now)
            return isStorable && limit > 0 ? keep(notification, limit) : .discarded
        }
    }

    /// The device begins to listen: gives what is still good.
    mutating func open(now: Date) -> [SimulatedNotification] {
        presence = .listening
        let alive = waiting.filter { Self.isAlive($0, now) }
        waiting = []
        return alive
    }

    /// The device polls and has everything up to `sequence`. Gives how many it had taken since it last said so.
    mutating func acknowledge(upTo sequence: Int, now: Date, until: Date) -> Int {
        let before = waiting.count
        waiting.removeAll { $0.sequence <= sequence }
        let taken = before - waiting.count
        waiting.removeAll { !Self.isAlive($0, now) }
        presence = .polling(until: until)
        return taken
    }

    /// Forgets what waits: the token is no longer good.
    mutating func clear() {
        waiting = []
    }

    private mutating func keep(_ notification: SimulatedNotification, _ limit: Int) -> Posting {
        var replaced = false
        if let collapseID = notification.collapseID,
            let place = waiting.firstIndex(where: { $0.collapseID == collapseID })
        {
            waiting.remove(at: place)
            replaced = true
        }
        waiting.append(notification)
        let displaced = waiting.count > max(limit, 1)
        if displaced { waiting.removeFirst() }
        return .kept(replaced: replaced, displaced: displaced)
    }

    private static func isAlive(_ notification: SimulatedNotification, _ now: Date) -> Bool {
        let age = now.timeIntervalSince(notification.acceptedAt)
        return switch notification.expiration {
        case nil: age < retention
        case 0: age < pollGrace
        case .some(let seconds): age < retention && now.timeIntervalSince1970 < Double(seconds)
        }
    }
}
