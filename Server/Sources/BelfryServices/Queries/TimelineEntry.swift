import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// The kinds of timeline entries.
package enum TimelineKind: String, Hashable, Sendable, CaseIterable, Codable {
    /// An event that the app tracked.
    case event
    /// A device's registration, with the fields that were rejected.
    case registration
    /// A device that was linked to the person or separated.
    case link
    /// A change of a message on a device or in a message center.
    case message
    /// The decision whether a device gets a campaign, with the reason.
    case decision
}

/// One thing that happened to a person (CON-9).
package struct TimelineEntry: Hashable, Sendable {
    package let at: Date
    package let kind: TimelineKind
    /// The device's id, and the number of the installation with it.
    package let client: DeviceID?
    package let installation: Int64?
    package let campaign: CampaignSummary?
    /// The name of an event, or a stable word for entries of other kinds.
    package let what: String
    package let sentence: String
    /// For a decision: the reason, as a stable word or the push service's own.
    package var reason: String?
    /// For an event: its attributes.
    package var attributes: [String: AttributeValue] = [:]
    /// For a registration: the fields that were rejected.
    package var rejected: [RejectedField] = []
}

/// A page of a timeline, the newest entry first.
package struct TimelinePage: Sendable {
    package let entries: [TimelineEntry]
    /// The cursor of the next page; nil at the end.
    package let cursor: String?
}

/// The sources of a timeline. Their entries at one moment have the order of the cases.
enum TimelineSource: Int, CaseIterable, Sendable {
    case event, registration, link, inApp, center, engagement, decision

    var kind: TimelineKind {
        switch self {
        case .event: .event
        case .registration: .registration
        case .link: .link
        case .inApp, .center, .engagement: .message
        case .decision: .decision
        }
    }
}

/// The position at the end of a timeline page: an entry of one source.
struct TimelineCursor: Hashable, Sendable {
    private static let maximumNumbers = 4

    let position: TimelinePosition
    let source: TimelineSource

    init(_ position: TimelinePosition, in source: TimelineSource) {
        self.position = position
        self.source = source
    }

    /// Decodes a cursor; nil for a text that is not one.
    init?(_ text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)
            .map { String(validating: $0, as: UTF8.self) }
        guard parts.count == 4, let at = parts[0].flatMap(Self.number),
            let source = parts[1].flatMap(Self.number).flatMap({ TimelineSource(rawValue: Int(clamping: $0)) }),
            let listed = parts[2], let id = parts[3], !id.utf8.contains(0)
        else { return nil }
        let numbers = listed.utf8.split(separator: UInt8(ascii: ",")).map { Self.number(String(Substring($0))) }
        guard numbers.count <= Self.maximumNumbers, !numbers.contains(nil) else { return nil }
        self.init(TimelinePosition(at: at, numbers: numbers.compactMap(\.self), text: id), in: source)
    }

    var text: String {
        let numbers = position.numbers.map { String($0) }.joined(separator: ",")
        return Base64URL.encode(Array("\(position.at):\(source.rawValue):\(numbers):\(position.text)".utf8))
    }

    /// The position from which another source continues after this entry.
    func start(of other: TimelineSource) -> TimelinePosition {
        if other == source { return position }
        // Entries at the same moment from sources later in the order are still to come.
        let next = position.at == .max ? .max : position.at + 1
        return TimelinePosition(at: other.rawValue < source.rawValue ? position.at : next)
    }

    private static func number(_ text: String) -> Int64? { WholeNumber.read(text) }
}
