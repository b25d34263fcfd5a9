import BelfryModel
import BelfryServerModel

/// The data of a message for clients of Mobile Engage v3 on Android (WIRE-29; v3 facts, 3.2). These clients show the
/// message themselves: the system would show one with a `notification` block without the client.
struct FCMV3Data {
    let content: PushContent
    let style: PushStyle
    let campaign: CampaignID
    /// The app's own keys, as texts.
    let custom: [String: String]

    private var isSeen: Bool { style == .alert }
    /// The campaign's channel, or else one of the app's channels.
    private var channel: String { content.androidChannel ?? PayloadPlaceholder.channel.marker }
    private var collapseID: String { CollapseID.text(of: content, campaign: campaign) }

    /// The members for clients before 3.7.4, which treat every other key as the app's.
    var nested: [String: String] {
        get throws(PushRequestError) {
            var ems = V3Ems(content, style: style, campaign: campaign)
            ems.silent = isSeen ? nil : true
            ems.notificationMethod = isSeen ? V3Ems.NotificationMethod(collapseId: collapseID) : nil
            var data = custom
            data["ems_msg"] = "{}"
            data["message_id"] = PayloadPlaceholder.messageID.marker
            data["u"] = PayloadTemplate.nested(try PayloadJSON.encode(V3Tracking()))
            data["ems"] = PayloadTemplate.nested(try PayloadJSON.encode(ems))
            // If the message has no such member, an app's key of the same name must not replace it.
            data["title"] = isSeen ? content.title : nil
            data["body"] = isSeen ? content.body : nil
            data["image_url"] = isSeen ? content.imageUrl : nil
            data["icon_url"] = nil
            data["channel_id"] = isSeen ? channel : nil
            return data
        }
    }

    /// The members for clients from 3.7.4 on.
    var flat: [String: String] {
        get throws(PushRequestError) {
            var data = [
                "ems.version": "FCM_V2", "ems.message_id": PayloadPlaceholder.messageID.marker,
                "ems.sid": PayloadPlaceholder.messageID.marker, "ems.multichannel_id": campaign.description,
            ]
            if !custom.isEmpty {
                data["ems.root_params"] = PayloadTemplate.nested(try PayloadJSON.encode(custom))
            }
            guard isSeen else {
                data["ems.silent"] = "true"
                return data
            }
            data["notification.title"] = content.title
            data["notification.body"] = content.body
            data["notification.image"] = content.imageUrl
            data["notification.channel_id"] = channel
            data["ems.notification_method.collapse_key"] = collapseID
            data["ems.notification_method.operation"] = "INIT"
            let ems = V3Ems(content, style: style, campaign: campaign)
            if let actions = ems.actions {
                data["ems.actions"] = PayloadTemplate.nested(try PayloadJSON.encode(actions))
            }
            data["ems.tap_actions.default_action.type"] = ems.defaultAction?.type
            data["ems.tap_actions.default_action.url"] = ems.defaultAction?.url
            return data
        }
    }
}
