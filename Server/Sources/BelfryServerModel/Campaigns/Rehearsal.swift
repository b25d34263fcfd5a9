import BelfryModel
import Foundation

/// The status of a rehearsal (CON-12).
package enum RehearsalStatus: String, Hashable, Sendable, Codable, CaseIterable {
    case waiting
    case running
    case done
    case cancelled
    case failed

    /// Whether the rehearsal has not ended yet.
    package var isOpen: Bool { self == .waiting || self == .running }
}

/// How a campaign would end for a device, in the ledger's terms (LED-1).
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
    /// An in-app message would be on the device, but no event of the recorded days would have triggered it.
    package static let notTriggered = DeliveryReason(rawValue: "notTriggered")
}

/// The number of devices with the same outcome in a rehearsal.
package struct RehearsedCount: Hashable, Sendable, Codable {
    package let outcome: RehearsedOutcome
    package let count: Int

    package init(outcome: RehearsedOutcome, count: Int) {
        self.outcome = outcome
        self.count = count
    }
}

/// A time zone, platform or locale in a rehearsal: the number of its devices, and of those that would get the message.
package struct RehearsedGroup: Hashable, Sendable, Codable {
    /// The name of the group that sums up all other groups.
    package static let others = "others"

    /// The name. Nil: devices that report none.
    package let name: String?
    package var audience: Int
    package var reached: Int
    /// The number by which devices refer to the group. Nil: the group sums up all devices without another place, or an
    /// older program has made it.
    package var place: Int?

    package init(name: String?, audience: Int = 0, reached: Int = 0, place: Int? = nil) {
        self.name = name
        self.audience = audience
        self.reached = reached
        self.place = place
    }
}

/// The figures of a rehearsal: sums without any names.
package struct RehearsalFigures: Hashable, Sendable, Codable {
    /// How many messages would be sent in an hour.
    package struct Hour: Hashable, Sendable, Codable {
        /// The beginning of the hour.
        package let from: Date
        package let count: Int

        package init(from: Date, count: Int) {
            self.from = from
            self.count = count
        }
    }

    package var audience = 0
    /// The number of devices that would get the message.
    package var reached = 0
    /// Devices refer to an outcome by its position, so none is ever removed.
    package var outcomes: [RehearsedCount] = []
    package var byHour: [Hour] = []
    /// The time zones, largest group first.
    package var byZone: [RehearsedGroup] = []
    package var byPlatform: [RehearsedGroup] = []
    package var byLocale: [RehearsedGroup] = []
    /// The number of contacts and devices that would get a message in a message center.
    package var placed = 0
    /// The number of those for whom the message would push an older one out of the list (MC-5).
    package var crowded = 0
    /// When the first message would be sent. Nil when none would.
    package var firstAt: Date?
    package var lastAt: Date?
    /// Sentences about problems that prevent a launch or have unexpected consequences.
    package var warnings: [String] = []

    package init() {}
}
