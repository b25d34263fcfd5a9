import BelfryModel
import Foundation

/// The payload of one campaign as bytes, with two gaps: the message id and the recipient mark.
///
/// JSON is encoded once per campaign; a recipient costs one array and four copies.
package struct APNsPayloadTemplate: Sendable {
    /// Bytes of a payload (PUSH-1), as APNs limits it for alerts.
    package static let maximumBytes = 4_096
    /// Top-level keys that an app's own keys never take the place of.
    package static let reservedKeys: Set<String> = ["aps", "belfry"]

    private let beforeMessageID: [UInt8]
    private static let betweenGaps = Array(#"","to":""#.utf8)
    private static let afterRecipient = Array(#""}}"#.utf8)

    package init(content: PushContent, campaign: CampaignID) throws(APNsRequestFault) {
        var bytes = Array(#"{"aps":"#.utf8)
        bytes += try Self.encode(ApsObject(content))
        let custom = (content.custom ?? [:]).filter { !Self.reservedKeys.contains($0.key) }
        if !custom.isEmpty {
            bytes.append(UInt8(ascii: ","))
            bytes += try Self.encode(custom).dropFirst().dropLast()
        }
        bytes += Array(#","belfry":{"#.utf8)
        bytes += try Self.encode(BelfryObject(content, campaign: campaign)).dropFirst().dropLast()
        bytes += Array(#","sid":""#.utf8)
        beforeMessageID = bytes
    }

    /// The payload for one recipient.
    ///
    /// - Parameters:
    ///   - sid: the text of the ``MessageID``.
    ///   - recipient: the ``RecipientMark``.
    package func payload(sid: String, recipient: String) throws(APNsRequestFault) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size(sidLength: sid.utf8.count, recipientLength: recipient.utf8.count))
        bytes += beforeMessageID
        JSONEscape.append(sid, to: &bytes)
        bytes += Self.betweenGaps
        JSONEscape.append(recipient, to: &bytes)
        bytes += Self.afterRecipient
        guard bytes.count <= Self.maximumBytes else { throw .payloadTooLarge(bytes: bytes.count) }
        return bytes
    }

    /// The bytes of each recipient's payload, known before any is made: both gaps are of a fixed length.
    package var size: Int {
        size(sidLength: 36, recipientLength: RecipientMark.length)
    }

    private func size(sidLength: Int, recipientLength: Int) -> Int {
        beforeMessageID.count + sidLength + Self.betweenGaps.count + recipientLength + Self.afterRecipient.count
    }

    private static func encode(_ value: some Encodable) throws(APNsRequestFault) -> [UInt8] {
        let encoder = JSONEncoder()
        // Slashes are not escaped, for each byte counts; keys are sorted, so that equal content makes equal bytes.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try Array(encoder.encode(value))
        } catch {
            throw .contentNotEncodable
        }
    }
}

/// The `aps` object.
private struct ApsObject: Encodable {
    struct Alert: Encodable {
        let title: String
        let subtitle: String?
        let body: String
    }

    enum CodingKeys: String, CodingKey {
        case alert, sound
        case mutableContent = "mutable-content"
    }

    let alert: Alert
    let sound: String?
    /// 1 lets the app's service extension fetch the image and set the buttons up before the notification shows.
    let mutableContent: Int?

    init(_ content: PushContent) {
        alert = Alert(title: content.title, subtitle: content.subtitle, body: content.body)
        sound = content.sound
        let hasButtons = content.buttons?.isEmpty == false
        mutableContent = content.imageUrl != nil || hasButtons ? 1 : nil
    }
}

/// The `belfry` object, but for the message id and the recipient mark.
private struct BelfryObject: Encodable {
    let campaign: String
    let action: NotificationAction?
    let image: String?
    let buttons: [NotificationButton]?

    init(_ content: PushContent, campaign: CampaignID) {
        self.campaign = campaign.description
        action = content.action
        image = content.imageUrl
        buttons = content.buttons?.isEmpty == false ? content.buttons : nil
    }
}
