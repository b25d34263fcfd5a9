import BelfryModel

/// The kinds of work that are counted before they begin (SEC-8).
package enum WorkKind: String, Hashable, Sendable, CaseIterable {
    case registration
    /// Pushes to a range of a campaign's devices.
    case batch
    /// Selecting a campaign's audience, or starting, ending or closing the campaign.
    case plan
    case silentPush
    /// Recalling the messages that a campaign has placed in message centers.
    case recall
    case upkeep
    /// Reviewing contacts and registrations after an app's attribute definitions have changed (REG-25).
    case attributeReview
    /// Updating the audience rows of a contact with very many devices.
    case contactFollowing
    /// Moving events of a device from one contact to another, in the background.
    case eventMove

    /// Whether subjects of this kind have a part, and so two numbers.
    fileprivate var hasParts: Bool { self == .batch || self == .eventMove }
}

/// The steps of the upkeep, with stable numbers.
package enum UpkeepStep: Int64, Hashable, Sendable, CaseIterable {
    case events = 1
    case registrations
    case idempotentAnswers
    case auditLog
    case centerMessages
    case richConfirmations
    case silentPushes
    case contacts
    case statistics
    case deviceOpenings
    case contactOpenings
    case dormantDevices
    case ledgers

    /// The name for operators.
    package var name: String { "\(self)" }
}

/// One piece of work that may crash the process that does it.
package struct WorkSubject: Hashable, Sendable {
    package let kind: WorkKind
    package let number: Int64
    /// For a batch, its number in its campaign; for a move of events, the contact from which they are moved; otherwise
    /// 0.
    package let part: Int64

    init(kind: WorkKind, number: Int64, part: Int64) {
        self.kind = kind
        self.number = number
        self.part = part
    }

    package static func registration(_ id: Int64) -> WorkSubject {
        WorkSubject(kind: .registration, number: id, part: 0)
    }

    /// - Parameter campaign: the campaign's number.
    package static func plan(_ campaign: Int64) -> WorkSubject { WorkSubject(kind: .plan, number: campaign, part: 0) }

    package static func silentPush(device: Int64) -> WorkSubject {
        WorkSubject(kind: .silentPush, number: device, part: 0)
    }

    package static func recall(_ campaign: CampaignID) -> WorkSubject {
        WorkSubject(kind: .recall, number: campaign.number, part: 0)
    }

    package static func upkeep(_ step: UpkeepStep) -> WorkSubject {
        WorkSubject(kind: .upkeep, number: step.rawValue, part: 0)
    }

    package static func attributeReview(app: Int64) -> WorkSubject {
        WorkSubject(kind: .attributeReview, number: app, part: 0)
    }

    package static func contactFollowing(_ contact: Int64) -> WorkSubject {
        WorkSubject(kind: .contactFollowing, number: contact, part: 0)
    }

    /// - Parameter contact: the contact from which the events are moved.
    package static func eventMove(device: Int64, contact: Int64) -> WorkSubject {
        WorkSubject(kind: .eventMove, number: device, part: contact)
    }

    /// The campaign of the work, if it belongs to one.
    package var campaign: CampaignID? {
        switch kind {
        case .batch, .plan, .recall: CampaignID(number)
        case .registration, .silentPush, .upkeep, .attributeReview, .contactFollowing, .eventMove: nil
        }
    }
}

/// The name for operators: `registration-12`, `batch-7-1001`, `plan-7`, `silentPush-33`, `recall-7`, `upkeep-events`,
/// `attributeReview-1`, `contactFollowing-5`, `eventMove-33-5`.
extension WorkSubject: LosslessStringConvertible {
    package var description: String {
        switch kind {
        case .batch, .eventMove: "\(kind.rawValue)-\(number)-\(part)"
        case .upkeep: "\(kind.rawValue)-\(UpkeepStep(rawValue: number)?.name ?? String(number))"
        case .registration, .plan, .silentPush, .recall, .attributeReview, .contactFollowing:
            "\(kind.rawValue)-\(number)"
        }
    }

    package init?(_ description: String) {
        let parts = description.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map {
            Substring($0)
        }
        guard let kind = parts.first.flatMap({ WorkKind(rawValue: String($0)) }) else { return nil }
        if kind == .upkeep, parts.count == 2, let step = UpkeepStep.allCases.first(where: { $0.name == parts[1] }) {
            self = .upkeep(step)
        } else {
            let numbers = parts.dropFirst().compactMap { WholeNumber.read($0, as: Int64.self) }
            guard kind != .upkeep, numbers.count == (kind.hasParts ? 2 : 1) else { return nil }
            self.init(kind: kind, number: numbers[0], part: numbers.count == 2 ? numbers[1] : 0)
        }
        // Each subject has only one name: no leading zeros or signs.
        guard self.description == description else { return nil }
    }
}
