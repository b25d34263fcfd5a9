import BelfryModel
import Foundation

/// The message centers and badges of a ``FakeServer``: a value with the meaning of WIRE-10 to WIRE-12 and WIRE-15.
struct FakeInbox: Sendable {
    struct Message: Sendable {
        var id: String
        var center = "Primary"
        var subject = "Hello"
        var message = "World"
        var sentAt: Date
        var expiresAt: Date?
        /// Encoded on the wire.
        var iconURL: String?
        var deeplinkURL: String?
        var richURL: String?
        /// Served to each device until it confirms.
        var html: String?
        var custom: [String: AttributeValue] = [:]
        var state = MessageState.unread
    }

    struct DeviceBadge: Sendable {
        var badge = Badge.none
        /// The last words of the device that changed it.
        var said: (count: Int, revision: Int64)?
    }

    static let perCenter = 20

    var maximumBadge = 99
    /// Center → whether it is enabled.
    var centers: [String: Bool] = ["Primary": true]
    /// Center → what people see in the place of its name.
    var labels: [String: String] = [:]
    /// Contact → what is kept for them.
    private(set) var messages: [String: [Message]] = [:]
    /// Whether the server knows confirmations, single messages, and says which centers are disabled; earlier ones do not.
    var isEarlier = false
    /// The devices and messages whose content is confirmed.
    private(set) var confirmed: Set<String> = []
    private var badges: [String: DeviceBadge] = [:]

    mutating func keep(_ message: Message, for contact: String) {
        guard messages[contact]?.contains(where: { $0.id == message.id }) != true else { return }
        messages[contact, default: []].append(message)
    }

    mutating func forget(_ id: String, of contact: String) {
        messages[contact]?.removeAll { $0.id == id }
    }

    /// The newest of a center that a person may see.
    func newest(in center: String, of contact: String, now: Date) -> [Message] {
        let seen = messages[contact, default: []].filter { message in
            message.center == center && message.state != .deleted && message.expiresAt.map { $0 > now } ?? true
        }
        // With equal times, the later campaign first.
        let sorted = seen.enumerated().sorted { ($0.element.sentAt, $0.offset) > ($1.element.sentAt, $1.offset) }
        return sorted.prefix(Self.perCenter).map(\.element)
    }

    func message(_ id: String, of contact: String) -> Message? {
        messages[contact]?.first { $0.id == id }
    }

    /// - Returns: false when the contact has no such message.
    mutating func join(_ state: MessageState, id: String, of contact: String) -> Bool {
        guard let index = messages[contact]?.firstIndex(where: { $0.id == id }) else { return false }
        let former = messages[contact]?[index].state ?? .unread
        messages[contact]?[index].state = former.joined(state)
        return true
    }

    func isConfirmed(_ id: String, by client: String) -> Bool {
        confirmed.contains("\(client) \(id)")
    }

    mutating func confirm(_ id: String, isStored: Bool, by client: String) {
        if isStored {
            confirmed.insert("\(client) \(id)")
        } else {
            confirmed.remove("\(client) \(id)")
        }
    }

    /// Whose messages a device shows: an installation's own while nobody is logged in.
    static func holder(_ contact: String, _ client: String) -> String {
        contact.hasPrefix("anonymous-") ? client : contact
    }
}

// MARK: - Badges and people

extension FakeInbox {
    func badge(of client: String) -> Badge {
        badges[client]?.badge ?? .none
    }

    /// A campaign changes the badge of a device.
    ///
    /// - Returns: what its push says.
    @discardableResult
    mutating func change(_ change: BadgeChange, of client: String) -> Badge {
        let count = change.apply(to: badge(of: client).count, maximum: maximumBadge)
        return put(count, of: client)
    }

    /// The device sets its badge. The very repetition of what it said last is a lost response asked for again.
    mutating func set(_ count: Int, revision: Int64?, of client: String) -> Badge {
        let said = badges[client]?.said
        if let said, let revision, said.count == count, said.revision == revision { return badge(of: client) }
        let badge = put(min(count, maximumBadge), of: client)
        badges[client]?.said = revision.map { (count, $0) }
        return badge
    }

    /// The device belongs to another contact from now on: a known one's badge goes with them, and nothing counts as
    /// stored any more.
    mutating func linked(_ client: String, to contact: String, before former: String?) {
        guard let former, former != contact else { return }
        confirmed = confirmed.filter { !$0.hasPrefix(client + " ") }
        if !former.hasPrefix("anonymous-") {
            put(0, of: client)
            badges[client]?.said = nil
        }
    }

    @discardableResult
    private mutating func put(_ count: Int, of client: String) -> Badge {
        let badge = Badge(count: count, revision: self.badge(of: client).revision + 1)
        badges[client, default: DeviceBadge()].badge = badge
        return badge
    }
}
