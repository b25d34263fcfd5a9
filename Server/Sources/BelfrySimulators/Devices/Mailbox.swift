import Foundation

/// What the service holds for one device, and what becomes of the next push.
///
/// Apple stores one notification per app, "in most cases the latest"; Google four collapse keys a device. This one is
/// kinder, so that a test sees all that it sent: one per collapse id and each without, up to a limit, the oldest going
/// first. It is also stricter: an expiration of 0 means delivered now or never.
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

    /// The device begins to listen: gives what is still good.
    mutating func open(now: Date) -> [Item] {
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

/// A push as a mailbox sees it.
protocol MailboxItem: Sendable {
    /// Numbers the pushes of one device from 1.
    var sequence: Int { get }
    /// An undelivered push with the same one is replaced.
    var collapseID: String? { get }
    /// Seconds since 1970; 0: delivered now or never; nil: as long as a service stores.
    var expiration: Int? { get }
    var acceptedAt: Date { get }
}

/// What to do with a push that came for a device.
enum MailboxPosting: Sendable, Equatable {
    /// The device listens: give it over.
    case handOver
    /// It waits in the mailbox. It took the place of one with the same collapse id, or the oldest had to go.
    case kept(replaced: Bool, displaced: Bool)
    /// It expired, or was not to be stored.
    case discarded
}

/// Whether a device is there.
enum MailboxPresence: Sendable, Equatable {
    case away
    /// It listens to a stream.
    case listening
    /// It polls over HTTP; between two polls it counts as there until this time.
    case polling(until: Date)
}

/// How long things last in a mailbox, in seconds.
enum MailboxTimes {
    /// How long a device that polls may stay away between two polls.
    static let pollGrace: TimeInterval = 10
    /// Apple: "APNs may store the notification for 30 days or less".
    static let retention: TimeInterval = 30 * 86_400
}
