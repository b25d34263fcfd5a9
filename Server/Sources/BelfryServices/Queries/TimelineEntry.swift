import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// Which entries of a timeline are asked for.
package enum TimelineKind: String, Hashable, Sendable, CaseIterable, Codable {
    /// What the app tracked.
    case event
    /// What devices registered, with what was rejected.
    case registration
    /// Devices that came to the person or left.
    case link
    /// What became of messages on devices and in message centers.
    case message
    /// Why a device got a campaign, or did not.
    case decision
}

/// One thing that happened to a person (CON-9).
package struct TimelineEntry: Hashable, Sendable {
    package let at: Date
    package let kind: TimelineKind
    /// The device, and which of the installations with its id.
    package let client: DeviceID?
    package let installation: Int64?
    package let campaign: CampaignSummary?
    /// The name of an event, otherwise a stable word.
    package let what: String
    package let sentence: String
    /// Of a decision: why, in a stable word or the push service's own.
    package var reason: String?
    /// Of an event.
    package var attributes: [String: AttributeValue] = [:]
    /// Of a registration.
    package var rejected: [RejectedField] = []
}

/// A page of a timeline, the newest entry first.
package struct TimelinePage: Sendable {
    package let entries: [TimelineEntry]
    /// Where it goes on; nil at its end.
    package let cursor: String?
}

/// The sources of a timeline: of one moment their entries come in this order.
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

/// Where a page of a timeline ends: at an entry of one source.
struct TimelineCursor: Hashable, Sendable {
    private static let maximumNumbers = 4

    let position: TimelinePosition
    let source: TimelineSource

    init(_ position: TimelinePosition, in source: TimelineSource) {
        self.position = position
        self.source = source
    }

    /// Nil for a text that none has.
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

    /// Where another source goes on behind this entry.
    func start(of other: TimelineSource) -> TimelinePosition {
        if other == source { return position }
        // Those of the same moment that come later in the order of sources are still to come.
        let next = position.at == .max ? .max : position.at + 1
        return TimelinePosition(at: other.rawValue < source.rawValue ? position.at : next)
    }

    private static func number(_ text: String) -> Int64? { WholeNumber.read(text) }
}
