import BelfryModel
import BelfryServerModel

/// What comes into a payload for each recipient.
enum PayloadPlaceholder: Hashable, Sendable {
    /// The `sid`.
    case messageID
    /// The ``RecipientTag``.
    case recipient
    /// Where the service wants it in the body (FCM).
    case pushToken
    /// Seconds, where the service wants them in the body (FCM).
    case timeToLive
    /// The number on the app's icon.
    case badgeCount
    /// The revision of that number.
    case badgeRevision
    /// A notification channel of the app on the device (``V3Client``).
    case channel
    /// One of the texts that a content's templates make for the recipient.
    case text(Int)

    /// Stands in a value until it has become JSON, as ``TextPlaceholder`` does for the texts.
    var marker: String {
        switch self {
        case .text(let index): TextPlaceholder.marker(index)
        case .messageID, .recipient, .pushToken, .timeToLive, .badgeCount, .badgeRevision, .channel:
            String(decoding: TextPlaceholder.opening + Array(name.utf8) + TextPlaceholder.closing, as: UTF8.self)
        }
    }

    /// The gap of the name between a marker's two characters; nil for a name that marks none.
    init?(name: String) {
        if let own = Self.own.first(where: { $0.name == name }) {
            self = own
        } else if let index: Int = WholeNumber.read(name), index >= 0, String(index) == name {
            self = .text(index)
        } else {
            return nil
        }
    }

    /// Whether a number stands there: the quotes around its marker go with the marker.
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

/// What fills the gaps of one recipient's payload.
struct PayloadFilling: Sendable {
    var sid: String
    var recipient: String
    var pushToken = ""
    var timeToLive = ""
    var texts: [String] = []
    var badge: Badge?
    var channel = ""

    /// Of the length that each recipient's has, but for the texts, which are empty, and a badge's numbers, which have
    /// one digit.
    static let blank = PayloadFilling(
        sid: String(repeating: "0", count: 36), recipient: String(repeating: "0", count: RecipientTag.length),
        badge: Badge.none
    )

    /// Nil for a text that nobody rendered, and for a badge that nobody told.
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

/// The recipient's ``Badge`` in a payload, or one number of it: the gaps become numbers and not texts.
struct BadgePlaceholders: Encodable {
    static let count = PayloadPlaceholder.badgeCount.marker

    let count = Self.count
    let revision = PayloadPlaceholder.badgeRevision.marker
}
