import BelfryModel
import BelfryPush
import BelfryRules
import BelfryServerModel
import BelfryStore
import Foundation

/// What a device tells of an in-app message (IAM-9): an event of the SDK, or of a client of version 3, which names the
/// campaign and no message.
struct InAppReport: Hashable, Sendable {
    /// Characters of an id or a word of a client's.
    static let maximumWordLength = 64
    /// Characters.
    static let maximumSentenceLength = 200
    /// Bytes for each of them: a character may be as long as one likes, an index entry may not.
    static let bytesPerCharacter = 4

    let campaign: CampaignID
    let what: InAppEngagement
    /// Of the message; nil when the device does not say.
    let version: Int?

    /// Nil for an event about anything else, and about a message that is not this device's.
    init?(_ name: EventName, _ attributes: [String: AttributeValue], client: DeviceID) {
        guard let campaign = Self.campaign(attributes, client: client),
            let what = InAppEngagement(name, attributes)
        else { return nil }
        self.campaign = campaign
        self.what = what
        version = attributes["version"]?.numberRead.flatMap { Int(exactly: $0) }
    }

    fileprivate static let names: Set<EventName> = [.inAppViewed, .inAppClick, .inAppDismiss, .inAppNotShown]

    private static func campaign(_ attributes: [String: AttributeValue], client: DeviceID) -> CampaignID? {
        let named = attributes["campaignId"].flatMap { CampaignID($0.textRead) }
        guard let text = attributes["messageId"]?.textRead, !text.isEmpty else { return named }
        guard let message = MessageID(text), let campaign = message.campaign, named == nil || named == campaign,
            message == MessageID.make(campaign: campaign, device: client)
        else { return nil }
        return campaign
    }
}

extension Event {
    /// Whether it may be a report of an in-app message, which takes longer to read than others.
    package var isInAppReport: Bool { kind == .internal && InAppReport.names.contains(name) }
}

extension InAppEngagement {
    fileprivate init?(_ name: EventName, _ attributes: [String: AttributeValue]) {
        switch name {
        case .inAppViewed:
            self = .display
        case .inAppClick:
            self = .click(button: attributes["buttonId"]?.text(within: InAppReport.maximumWordLength))
        case .inAppDismiss:
            self = .dismissal(after: attributes["seconds"]?.numberRead)
        case .inAppNotShown:
            guard let reason = attributes["reason"]?.text(within: InAppReport.maximumWordLength) else { return nil }
            let sentence = attributes["sentence"]?.text(within: InAppReport.maximumSentenceLength)
            self = .notShown(reason: InAppReason.Word(counting: reason).rawValue, sentence: sentence)
        default:
            return nil
        }
    }

    /// The same in the words of the ledger; nil for what is no fact about a message that was seen.
    var fact: Engagement? {
        switch self {
        case .display: .displayed
        case .click: .opened
        case .dismissal: .dismissed
        case .notShown: nil
        }
    }
}

extension AttributeValue {
    /// What a client writes as a text or as a number, cut to a length in characters and, between two scalars, to one in
    /// bytes; nil when nothing is left.
    fileprivate func text(within length: Int) -> String? {
        let cut = String(textRead.prefix(length)).prefix(bytes: length * InAppReport.bytesPerCharacter)
        return cut.isEmpty ? nil : cut
    }
}
