import Foundation

/// Something that happened on a device: tracked by the app (`custom`) or created by the SDK (`internal`). The SDK
/// writes it to its queue; the server reads the same form from an upload and stores it.
public struct Event: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, Codable {
        case custom
        case `internal`
    }

    public var id: EventID
    public var kind: Kind
    public var name: EventName
    /// The time by the device's clock (EVT-9).
    public var timestamp: Date
    /// A JSON object with scalar values, as text: it is encoded once, and then only copied.
    public var attributes: String
    public var sessionID: String?
    /// The opaque reference of the contact for whom the event was tracked (ID-7).
    public var contactReference: String?

    public init(
        id: EventID,
        kind: Kind,
        name: EventName,
        timestamp: Date,
        attributes: String = "{}",
        sessionID: String? = nil,
        contactReference: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.name = name
        self.timestamp = timestamp
        self.attributes = attributes
        self.sessionID = sessionID
        self.contactReference = contactReference
    }
}

/// The id of an event: unique per device, 1 to 64 characters. The server stores each id once (EVT-3).
public struct EventID: Hashable, Sendable {
    public static let maximumLength = 64

    public let rawValue: String

    public init(_ raw: String) throws(ValueError) {
        // A text has at most as many characters as bytes, and bytes are faster to count.
        let isShort = raw.utf8.count <= Self.maximumLength || raw.count <= Self.maximumLength
        guard !raw.isEmpty, isShort, raw.utf8.count <= NamingRule.maximumBytes, !raw.utf8.contains(0) else {
            throw ValueError(
                code: "invalidId",
                message:
                    "An event id has 1 to \(Self.maximumLength) characters, at most \(NamingRule.maximumBytes) "
                    + "bytes, none of them the null character."
            )
        }
        rawValue = raw
    }

    public init(_ uuid: UUID) {
        rawValue = uuid.uuidString
    }
}

/// The name of an event: 1 to 128 characters, trimmed (EVT-8).
public struct EventName: Hashable, Sendable {
    public static let maximumLength = 128

    public let rawValue: String

    public init(_ raw: String) throws(ValueError) {
        if NamingRule.isPlain(raw, maximumLength: Self.maximumLength) {
            rawValue = raw
            return
        }
        let trimmed = raw.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !trimmed.isEmpty, trimmed.count <= Self.maximumLength,
            trimmed.utf8.count <= NamingRule.maximumBytes, !trimmed.utf8.contains(0)
        else {
            throw ValueError(
                code: "invalidName",
                message:
                    "An event name has 1 to \(Self.maximumLength) characters, at most \(NamingRule.maximumBytes) bytes, "
                    + "is not blank and has no null character."
            )
        }
        rawValue = trimmed
    }

    private init(known: String) {
        rawValue = known
    }

    public static let appStart = EventName(known: "app:start")
    public static let sessionStart = EventName(known: "session:start")
    public static let sessionEnd = EventName(known: "session:end")
    public static let pushReceived = EventName(known: "push:received")
    public static let pushDisplayed = EventName(known: "push:displayed")
    public static let pushClick = EventName(known: "push:click")
    /// A client of Mobile Engage v3 adds a tag to a message of its inbox.
    public static let inboxTagAdded = EventName(known: "inbox:tag:add")
    public static let pushDismiss = EventName(known: "push:dismiss")
    public static let messageCenterDisplay = EventName(known: "messagecenter:display")
    public static let messageCenterOpen = EventName(known: "messagecenter:open")
    /// A message is on screen.
    public static let inAppViewed = EventName(known: "inapp:viewed")
    public static let inAppClick = EventName(known: "inapp:click")
    /// A message left the screen; its attributes say after how many seconds, and how.
    public static let inAppDismiss = EventName(known: "inapp:dismiss")
    /// A message was due but not shown; its attributes have the reason.
    public static let inAppNotShown = EventName(known: "inapp:notShown")
    /// The app shows one of its screens (IAM-5).
    public static let screen = EventName(known: "screen")
}

extension EventName: CustomStringConvertible {
    public var description: String { rawValue }
}

/// The limits of one event, the same on the device and on the server (EVT-8).
public enum EventLimits {
    public static let maximumAttributes = 64
    public static let maximumBytes = 65_536
}
