import BelfryModel
import Foundation

/// Where a rehearsal stands (CON-12).
package enum RehearsalStatus: String, Hashable, Sendable, Codable, CaseIterable {
    case waiting
    case running
    case done
    case cancelled
    case failed

    /// Whether it goes on by itself.
    package var isOpen: Bool { self == .waiting || self == .running }
}

/// How a campaign would end for a device, in the words of the ledger (LED-1).
package struct RehearsedOutcome: Hashable, Sendable, Codable {
    package let state: DeliveryState
    package let reason: DeliveryReason?

    package init(state: DeliveryState, reason: DeliveryReason? = nil) {
        self.state = state
        self.reason = reason
    }

    package static let accepted = RehearsedOutcome(state: .accepted)

    private enum CodingKeys: String, CodingKey {
        case state, reason
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        state = try values.decode(DeliveryState.self, forKey: .state)
        reason = try values.decodeIfPresent(String.self, forKey: .reason).map(DeliveryReason.init(rawValue:))
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(state, forKey: .state)
        try values.encodeIfPresent(reason?.rawValue, forKey: .reason)
    }
}

extension DeliveryReason {
    /// An in-app message would be on the device, and nothing that triggers it happened there in the recorded days.
    package static let notTriggered = DeliveryReason(rawValue: "notTriggered")
}

/// How many devices a rehearsal has found alike.
package struct RehearsedCount: Hashable, Sendable, Codable {
    package let outcome: RehearsedOutcome
    package let count: Int

    package init(outcome: RehearsedOutcome, count: Int) {
        self.outcome = outcome
        self.count = count
    }
}

/// One zone, platform or locale of a rehearsal: its devices, and those of them that would get it.
package struct RehearsedGroup: Hashable, Sendable, Codable {
    /// The name of the sum of those that are not told apart.
    package static let others = "others"

    /// Nil: the devices that say none.
    package let name: String?
    package var audience: Int
    package var reached: Int
    /// By which devices refer to it; nil: it is the sum of all that have none of the others' places, or an older
    /// program has made it.
    package var place: Int?

    package init(name: String?, audience: Int = 0, reached: Int = 0, place: Int? = nil) {
        self.name = name
        self.audience = audience
        self.reached = reached
        self.place = place
    }
}

/// The figures of a rehearsal: sums, which name nobody.
package struct RehearsalFigures: Hashable, Sendable, Codable {
    /// How many would leave in an hour.
    package struct Hour: Hashable, Sendable, Codable {
        /// Its first moment.
        package let from: Date
        package let count: Int

        package init(from: Date, count: Int) {
            self.from = from
            self.count = count
        }
    }

    package var audience = 0
    /// Those that would get it.
    package var reached = 0
    /// The place of each is the number by which devices refer to it, so none is ever taken out.
    package var outcomes: [RehearsedCount] = []
    package var byHour: [Hour] = []
    /// The largest first.
    package var byZone: [RehearsedGroup] = []
    package var byPlatform: [RehearsedGroup] = []
    package var byLocale: [RehearsedGroup] = []
    /// Contacts and devices for which a message would be kept in a message center.
    package var placed = 0
    /// Those of them in whose center the message would push an older one out of sight (MC-5).
    package var crowded = 0
    /// When the first and the last would leave; nil when none would.
    package var firstAt: Date?
    package var lastAt: Date?
    /// What stands in the way of a launch, or costs what one might not expect, in sentences.
    package var warnings: [String] = []

    package init() {}
}
