import BelfryModel
import BelfryServerModel
import Foundation

/// The body of one campaign's messages for FCM HTTP v1, `{"message":{…}}`.
///
/// Source: Google, "REST Resource: projects.messages". There is no `apns` and no `webpush` part: those services are
/// spoken to directly.
package struct FCMPayloadTemplate: Sendable {
    /// Bytes of keys and values in `data` and the notifications (Google's error table, "Message too big").
    package static let maximumBytes = 4_096

    private let tokenBody: PayloadTemplate
    private let installationBody: PayloadTemplate
    private let counted: PayloadTemplate

    package init(
        content: PushContent, style: PushStyle = .alert, extras: PushExtras = .none, format: PushFormat = .belfry,
        campaign: CampaignID?
    ) throws(PushRequestError) {
        // A push that belongs to no campaign is none of theirs.
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
    ///   - channel: of the app on the device, or empty.
    ///   - timeToLive: seconds.
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
        // What counts is within its limit, and what does not (names, token, escapes) grows in step with it.
        return switch FCMTarget(token) {
        case .token: try tokenBody.fill(filling, atMost: .max)
        case .installation: try installationBody.fill(filling, atMost: .max)
        }
    }

    /// The bytes that FCM counts, known before any message is made, but for the texts of recipients.
    package var size: Int { counted.size(.blank) }

    /// Keys that FCM keeps for itself: a message with one of them is refused whole.
    package static func isReserved(_ key: String) -> Bool {
        key == BelfryObject.key || ["from", "message_type"].contains(key)
            || ["google", "gcm"].contains { key.utf8.starts(with: $0.utf8) }
    }

    /// The app's own keys; all values in `data` are strings.
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

    /// One of the two is there: ``FCMTarget``.
    var token: String?
    var fid: String?
    let data: [String: String]
    let notification: FCMNotification?
    let android: FCMAndroid
    let options: FCMOptions?

    /// Everything that FCM counts, one after the other.
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
        /// Of two notifications with the same tag Android shows the later, which the collapse key alone does not do
        /// once the first is shown (PUSH-5).
        let tag: String?
        /// The marker of the number that launchers show; of 0, FCM says nothing to them.
        let count: String?
        /// On a locked screen.
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
        // FCM knows two; what shows nothing never wakes a sleeping device.
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
