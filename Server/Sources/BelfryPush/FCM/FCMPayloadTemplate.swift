import BelfryModel
import BelfryServerModel
import Foundation

/// The body of one campaign's messages for FCM HTTP v1, `{"message":{…}}`.
///
/// Source: Google, "REST Resource: projects.messages". There is no `apns` and no `webpush` part, because Belfry calls
/// these services directly.
package struct FCMPayloadTemplate: Sendable {
    /// The maximum size in bytes of the keys and values in `data` and the notifications (Google's error table, "Message
    /// too big").
    package static let maximumBytes = 4_096

    private let tokenBody: PayloadTemplate
    private let installationBody: PayloadTemplate
    private let counted: PayloadTemplate

    package init(
        content: PushContent, style: PushStyle = .alert, extras: PushExtras = .none, format: PushFormat = .belfry,
        campaign: CampaignID?
    ) throws(PushRequestError) {
        // A push without a campaign has no content for these clients.
        let v3 = format == .belfry ? nil : campaign
        let belfry = try PayloadJSON.encode(
            BelfryObject(content, style: style, extras: extras, campaign: campaign, bearsImage: false)
        )
        var data = try Self.data(of: content)
        if let v3 {
            let own = FCMV3Data(content: content, style: style, campaign: v3, custom: data)
            data = format == .v3Flat ? try own.flat : try own.nested
        }
        data[BelfryObject.key] = PayloadTemplate.nested(belfry)
        let collapseID = CollapseID.text(of: content, campaign: campaign)
        let isShownBySystem = style == .alert && v3 == nil
        var message = FCMMessage(
            token: PayloadPlaceholder.pushToken.marker,
            data: data,
            notification: isShownBySystem ? FCMNotification(title: content.title, body: content.body) : nil,
            android: FCMAndroid(
                content, style: style, extras: extras, collapseID: collapseID, isShownBySystem: isShownBySystem
            ),
            options: content.analyticsLabel.map(FCMOptions.init)
        )
        tokenBody = PayloadTemplate(try PayloadJSON.encode(["message": message]))
        (message.token, message.fid) = (nil, message.token)
        installationBody = PayloadTemplate(try PayloadJSON.encode(["message": message]))
        counted = PayloadTemplate(Array(message.countedText.utf8), escaping: .counted)
    }

    /// The body for one recipient.
    ///
    /// - Parameters:
    ///   - token: a registration token or a Firebase installation id.
    ///   - channel: a notification channel of the app on the device, or empty.
    ///   - timeToLive: in seconds.
    func payload(
        token: String, sid: String, recipient: String, texts: [String], badge: Badge?, channel: String,
        timeToLive: Int
    ) throws(PushRequestError) -> [UInt8] {
        let filling = PayloadFilling(
            sid: sid, recipient: recipient, pushToken: token, timeToLive: String(timeToLive), texts: texts,
            badge: badge, channel: channel
        )
        let size = counted.size(filling)
        guard size <= Self.maximumBytes else { throw .payloadTooLarge(bytes: size) }
        // The counted part is within its limit, and the rest (names, token, escapes) grows in proportion.
        return switch FCMTarget(token) {
        case .token: try tokenBody.fill(filling, atMost: .max)
        case .installation: try installationBody.fill(filling, atMost: .max)
        }
    }

    /// The bytes that FCM counts, without the recipients' texts, known before any message is made.
    package var size: Int { counted.size(.blank) }

    /// Whether FCM reserves the key: it rejects a message that contains it.
    package static func isReserved(_ key: String) -> Bool {
        key == BelfryObject.key || ["from", "message_type"].contains(key)
            || ["google", "gcm"].contains { key.utf8.starts(with: $0.utf8) }
    }

    /// The app's own keys. All values in `data` are strings.
    private static func data(of content: PushContent) throws(PushRequestError) -> [String: String] {
        var data: [String: String] = [:]
        for (key, value) in content.custom ?? [:] where !isReserved(key) {
            switch value {
            case .string(let text): data[key] = text
            case .date(let date): data[key] = Timestamp.text(date)
            case .number, .boolean: data[key] = String(decoding: try PayloadJSON.encode(value), as: UTF8.self)
            }
        }
        return data
    }
}

private struct FCMMessage: Encodable {
    enum CodingKeys: String, CodingKey {
        case token, fid, data, notification, android
        case options = "fcm_options"
    }

    /// Either a token or an installation id: ``FCMTarget``.
    var token: String?
    var fid: String?
    let data: [String: String]
    let notification: FCMNotification?
    let android: FCMAndroid
    let options: FCMOptions?

    /// All texts that FCM counts, joined.
    var countedText: String {
        var text = data.map { $0.key + $0.value }.joined()
        if let notification { text += "titlebody" + notification.title + notification.body }
        if let shown = android.notification {
            let named = [
                ("channel_id", shown.channelID), ("image", shown.image), ("sound", shown.sound), ("tag", shown.tag),
                ("notification_count", shown.count), ("visibility", shown.visibility),
            ]
            text += named.map { name, value in value.map { name + $0 } ?? "" }.joined()
        }
        return text
    }
}

private struct FCMNotification: Encodable {
    let title: String
    let body: String
}

private struct FCMOptions: Encodable {
    enum CodingKeys: String, CodingKey {
        case analyticsLabel = "analytics_label"
    }

    let analyticsLabel: String
}

private struct FCMAndroid: Encodable {
    struct Shown: Encodable {
        enum CodingKeys: String, CodingKey {
            case image, sound, tag, visibility
            case channelID = "channel_id"
            case count = "notification_count"
        }

        let channelID: String?
        let image: String?
        let sound: String?
        /// Android replaces a shown notification by a later one with the same tag (PUSH-5). The collapse key alone does
        /// not do that once the first is shown.
        let tag: String?
        /// The placeholder of the number that launchers show. FCM does not pass 0 on to them.
        let count: String?
        /// The notification's visibility on a locked screen.
        let visibility: String?
    }

    enum CodingKeys: String, CodingKey {
        case priority, ttl, notification
        case collapseKey = "collapse_key"
    }

    let priority: String
    let ttl = PayloadPlaceholder.timeToLive.marker + "s"
    let collapseKey: String
    let notification: Shown?

    init(
        _ content: PushContent, style: PushStyle, extras: PushExtras, collapseID: String, isShownBySystem: Bool
    ) {
        // FCM knows two priorities. A push that shows nothing never wakes a sleeping device.
        priority = style == .alert && (content.priority ?? 10) > 5 ? "HIGH" : "NORMAL"
        collapseKey = collapseID
        notification =
            isShownBySystem
            ? Shown(
                channelID: content.androidChannel, image: content.imageUrl, sound: content.sound, tag: collapseID,
                count: extras.changesBadge ? BadgePlaceholders.count : nil,
                visibility: content.androidVisibility.map { $0.rawValue.uppercased() }
            ) : nil
    }
}
