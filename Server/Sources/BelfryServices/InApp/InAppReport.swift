import BelfryModel
import BelfryPush
import BelfryRules
import BelfryServerModel
import BelfryStore
import Foundation

/// A device's report about an in-app message (IAM-9): an event of the SDK, or of a client of version 3, which names the
/// campaign and no message.
struct InAppReport: Hashable, Sendable {
    /// The longest id or word of a client, in characters.
    static let maximumWordLength = 64
    /// The longest sentence, in characters.
    static let maximumSentenceLength = 200
    /// Bytes that are allowed for each character: a character may be arbitrarily long, an index entry may not.
    static let bytesPerCharacter = 4

    let campaign: CampaignID
    let what: InAppEngagement
    /// The version of the message. Nil when the device does not send it.
    let version: Int?

    /// Nil for an event about anything else, or about a message of another device.
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
    /// Whether the event may be a report about an in-app message. Those take longer to read than others.
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

    /// The report in the ledger's terms. Nil for a report that says nothing about a displayed message.
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
    /// A text or number of a client, cut to a length in characters and, between two scalars, to a length in bytes. Nil
    /// when nothing is left.
    fileprivate func text(within length: Int) -> String? {
        let cut = String(textRead.prefix(length)).prefix(bytes: length * InAppReport.bytesPerCharacter)
        return cut.isEmpty ? nil : cut
    }
}
