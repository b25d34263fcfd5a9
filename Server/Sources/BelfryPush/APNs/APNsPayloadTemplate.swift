import BelfryModel
import BelfryServerModel

/// The payload of one campaign for APNs.
package struct APNsPayloadTemplate: Sendable {
    /// The maximum size of a payload in bytes (PUSH-1), as APNs limits it for alerts and background pushes.
    package static let maximumBytes = 4_096
    /// Top-level keys that an app's own keys never replace.
    package static let reservedKeys: Set<String> = ["aps", BelfryObject.key]
    /// The top-level keys that clients of Mobile Engage v3 also read.
    private static let v3Keys: Set<String> = ["u", "ems", "ems_msg", "image_url"]

    private let template: PayloadTemplate

    package init(
        content: PushContent, style: PushStyle = .alert, extras: PushExtras = .none, format: PushFormat = .belfry,
        campaign: CampaignID?
    ) throws(PushRequestError) {
        // A push without a campaign has no content for these clients.
        let v3 = format == .belfry ? nil : campaign
        let reserved = v3 == nil ? Self.reservedKeys : Self.reservedKeys.union(Self.v3Keys)
        let payload = APNsPayload(
            aps: ApsObject(content, style: style, extras: extras),
            belfry: BelfryObject(content, style: style, extras: extras, campaign: campaign, bearsImage: true),
            v3: v3.map { APNsV3Keys(content, style: style, campaign: $0) },
            custom: (content.custom ?? [:]).filter { !reserved.contains($0.key) }
        )
        template = PayloadTemplate(try PayloadJSON.encode(payload))
    }

    /// The payload for one recipient.
    ///
    /// - Parameters:
    ///   - sid: the text of the ``MessageID``.
    ///   - recipient: the ``RecipientTag``.
    ///   - texts: the content's templates rendered for this recipient, by the number of their placeholder.
    ///   - badge: the recipient's badge, if the push changes badges.
    package func payload(
        sid: String, recipient: String, texts: [String] = [], badge: Badge? = nil
    ) throws(PushRequestError) -> [UInt8] {
        try template.fill(
            PayloadFilling(sid: sid, recipient: recipient, texts: texts, badge: badge), atMost: Self.maximumBytes
        )
    }

    /// The size in bytes of each recipient's payload without the recipient's texts, known before any payload is made.
    package var size: Int { template.size(.blank) }
}

private struct APNsPayload: Encodable {
    let aps: ApsObject
    let belfry: BelfryObject
    let v3: APNsV3Keys?
    let custom: [String: AttributeValue]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: PayloadKey.self)
        try container.encode(aps, forKey: PayloadKey("aps"))
        try container.encode(belfry, forKey: PayloadKey(BelfryObject.key))
        for (key, value) in custom { try container.encode(value, forKey: PayloadKey(key)) }
        try v3?.encode(to: encoder)
    }
}

/// The keys beside `aps` that clients of Mobile Engage v3 read (WIRE-29; v3 facts, 3.1).
private struct APNsV3Keys: Encodable {
    enum CodingKeys: String, CodingKey {
        case tracking = "u"
        case marker = "ems_msg"
        case imageURL = "image_url"
        case ems
    }

    let tracking = V3Tracking()
    let marker: [String: String] = [:]
    let ems: V3Ems
    /// The clients' service extension downloads the image.
    let imageURL: String?

    init(_ content: PushContent, style: PushStyle, campaign: CampaignID) {
        ems = V3Ems(content, style: style, campaign: campaign)
        imageURL = style == .alert ? content.imageUrl : nil
    }
}

private struct ApsObject: Encodable {
    struct Alert: Encodable {
        let title: String
        let subtitle: String?
        let body: String
    }

    enum CodingKeys: String, CodingKey {
        case alert, badge, sound, category
        case threadID = "thread-id"
        case interruptionLevel = "interruption-level"
        case relevanceScore = "relevance-score"
        case targetContentID = "target-content-id"
        case filterCriteria = "filter-criteria"
        case mutableContent = "mutable-content"
        case contentAvailable = "content-available"
    }

    var alert: Alert?
    /// The placeholder of a number.
    var badge: String?
    var sound: String?
    var category: String?
    var threadID: String?
    var interruptionLevel: String?
    var relevanceScore: Double?
    var targetContentID: String?
    var filterCriteria: String?
    /// 1 starts the app's service extension before the notification shows (PUSH-8). Every notification names its
    /// recipient, so the extension may have to hide it, and it reports every one as received.
    var mutableContent: Int?
    /// 1 wakes the app. Together with an alert it would need the app's permission to run in the background.
    var contentAvailable: Int?

    init(_ content: PushContent, style: PushStyle, extras: PushExtras) {
        // APNs drops a background push that has a badge.
        if extras.changesBadge, style != .silent { badge = BadgePlaceholders.count }
        guard style == .alert else {
            contentAvailable = 1
            return
        }
        alert = Alert(title: content.title, subtitle: content.subtitle, body: content.body)
        sound = content.sound
        category = content.category
        threadID = content.threadId
        interruptionLevel = content.interruptionLevel.map(Self.word)
        relevanceScore = content.relevanceScore
        targetContentID = content.targetContentId
        filterCriteria = content.filterCriteria
        mutableContent = 1
    }

    /// The level in Apple's spelling.
    private static func word(for level: InterruptionLevel) -> String {
        switch level {
        case .passive: "passive"
        case .active: "active"
        case .timeSensitive: "time-sensitive"
        case .critical: "critical"
        }
    }
}
