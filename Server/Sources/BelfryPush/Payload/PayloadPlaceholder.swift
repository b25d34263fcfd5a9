import BelfryModel
import BelfryServerModel

/// A part of a payload that differs between recipients.
enum PayloadPlaceholder: Hashable, Sendable {
    /// The `sid`.
    case messageID
    /// The ``RecipientTag``.
    case recipient
    /// The push token, for a service that needs it in the body (FCM).
    case pushToken
    /// The time to live in seconds, for a service that needs it in the body (FCM).
    case timeToLive
    /// The number on the app's icon.
    case badgeCount
    /// The revision of that number.
    case badgeRevision
    /// A notification channel of the app on the device (``V3Client``).
    case channel
    /// One of the content's templates, rendered for the recipient.
    case text(Int)

    /// The text that marks the placeholder in a value until it is encoded as JSON, as ``TextPlaceholder`` does for the
    /// texts.
    var marker: String {
        switch self {
        case .text(let index): TextPlaceholder.marker(index)
        case .messageID, .recipient, .pushToken, .timeToLive, .badgeCount, .badgeRevision, .channel:
            String(decoding: TextPlaceholder.opening + Array(name.utf8) + TextPlaceholder.closing, as: UTF8.self)
        }
    }

    /// The placeholder with the name between a marker's two characters; nil for an unknown name.
    init?(name: String) {
        if let own = Self.own.first(where: { $0.name == name }) {
            self = own
        } else if let index: Int = WholeNumber.read(name), index >= 0, String(index) == name {
            self = .text(index)
        } else {
            return nil
        }
    }

    /// Whether the value is a number: then the quotes around the marker are removed, too.
    var isNumber: Bool { self == .badgeCount || self == .badgeRevision }

    private static let own: [PayloadPlaceholder] = [
        .messageID, .recipient, .pushToken, .timeToLive, .badgeCount, .badgeRevision, .channel,
    ]

    private var name: String {
        switch self {
        case .messageID: "sid"
        case .recipient: "to"
        case .pushToken: "token"
        case .timeToLive: "ttl"
        case .badgeCount: "badge"
        case .badgeRevision: "revision"
        case .channel: "channel"
        case .text(let index): String(index)
        }
    }
}

/// The values of the placeholders for one recipient.
struct PayloadFilling: Sendable {
    var sid: String
    var recipient: String
    var pushToken = ""
    var timeToLive = ""
    var texts: [String] = []
    var badge: Badge?
    var channel = ""

    /// Values of the usual length, except for texts, which are empty, and the numbers of a badge, which have one digit.
    static let blank = PayloadFilling(
        sid: String(repeating: "0", count: 36), recipient: String(repeating: "0", count: RecipientTag.length),
        badge: Badge.none
    )

    /// Nil for a text that was not rendered, and for a badge that is not given.
    func text(for gap: PayloadPlaceholder) -> String? {
        switch gap {
        case .messageID: sid
        case .recipient: recipient
        case .pushToken: pushToken
        case .timeToLive: timeToLive
        case .badgeCount: badge.map { String($0.count) }
        case .badgeRevision: badge.map { String($0.revision) }
        case .channel: channel
        case .text(let index): index < texts.count ? texts[index] : nil
        }
    }
}

/// The recipient's ``Badge`` in a payload, or one number of it. The placeholders become numbers, not texts.
struct BadgePlaceholders: Encodable {
    static let count = PayloadPlaceholder.badgeCount.marker

    let count = Self.count
    let revision = PayloadPlaceholder.badgeRevision.marker
}
