import Foundation

/// The stored pushes of one device, and the decision about the next one.
///
/// Apple stores one notification per app, "in most cases the latest"; Google four collapse keys a device. This mailbox
/// keeps more, so that a test sees everything it sent: one push per collapse id and each push without, up to a limit,
/// beyond which the oldest is dropped. It is also stricter: a push with an expiration of 0 is delivered immediately or
/// never.
struct Mailbox<Item: MailboxItem>: Sendable {
    var presence = MailboxPresence.away
    /// Oldest first.
    private(set) var waiting: [Item] = []
    private var lastSequence = 0

    mutating func nextSequence() -> Int {
        lastSequence += 1
        return lastSequence
    }

    mutating func post(_ notification: Item, now: Date, limit: Int) -> MailboxPosting {
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

    /// The device begins to listen. Returns the stored pushes that have not expired.
    mutating func open(now: Date) -> [Item] {
        presence = .listening
        let alive = waiting.filter { Self.isAlive($0, now) }
        waiting = []
        return alive
    }

    /// The device polls and has everything up to `sequence`. Returns how many pushes it has received since its last
    /// acknowledgement.
    mutating func acknowledge(upTo sequence: Int, now: Date, until: Date) -> Int {
        let before = waiting.count
        waiting.removeAll { $0.sequence <= sequence }
        let taken = before - waiting.count
        waiting.removeAll { !Self.isAlive($0, now) }
        presence = .polling(until: until)
        return taken
    }

    /// Drops the stored pushes, because the token is no longer valid.
    mutating func clear() {
        waiting = []
    }

    private mutating func keep(_ notification: Item, _ limit: Int) -> MailboxPosting {
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

    private static func isAlive(_ notification: Item, _ now: Date) -> Bool {
        let age = now.timeIntervalSince(notification.acceptedAt)
        return switch notification.expiration {
        case nil: age < MailboxTimes.retention
        case 0: age < MailboxTimes.pollGrace
        case .some(let seconds): age < MailboxTimes.retention && now.timeIntervalSince1970 < Double(seconds)
        }
    }
}

/// A push in a mailbox.
protocol MailboxItem: Sendable {
    /// Numbers the pushes of one device from 1.
    var sequence: Int { get }
    /// The collapse id: an undelivered push with the same one is replaced.
    var collapseID: String? { get }
    /// In seconds since 1970; 0: deliver immediately or never; nil: the service's maximum.
    var expiration: Int? { get }
    var acceptedAt: Date { get }
}

/// The decision about a push that arrived for a device.
enum MailboxPosting: Sendable, Equatable {
    /// Deliver it: the device listens.
    case handOver
    /// It is stored. It replaced one with the same collapse id, or displaced the oldest.
    case kept(replaced: Bool, displaced: Bool)
    /// It is expired, or was not to be stored.
    case discarded
}

/// Whether a device is online.
enum MailboxPresence: Sendable, Equatable {
    case away
    /// The device listens to a stream.
    case listening
    /// The device polls over HTTP; between two polls it counts as online until this time.
    case polling(until: Date)
}

/// The durations of a mailbox in seconds.
enum MailboxTimes {
    /// How long a polling device may be absent between two polls.
    static let pollGrace: TimeInterval = 10
    /// Apple: "APNs may store the notification for 30 days or less".
    static let retention: TimeInterval = 30 * 86_400
}
