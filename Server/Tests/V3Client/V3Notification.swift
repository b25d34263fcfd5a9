/// A push as one of the vendor's clients reads it, written from section 3 of `Docs/Specification/mobile-engage-v3.md`.
package struct V3Notification: Hashable, Sendable {
    package var title: String?
    package var body: String?
    package var image: String?
    package var channel: String?
    package var campaign: String?
    package var sid: String?
    package var messageID: String?
    /// Of two notifications with the same one, the device shows the later.
    package var collapseID: String?
    package var operation = "INIT"
    package var isSilent = false
    /// What the buttons, or a silent push, do.
    package var actions: [JSON] = []
    package var defaultAction: JSON?
    /// The customer's own values.
    package var rootParameters: [String: JSON] = [:]
    /// The number that the icon gets.
    package var badge: Int?

    /// What a person can press.
    package var buttons: [String] { actions.compactMap { $0["title"]?.string } }
}

extension V3Notification {
    /// A payload of APNs. Whatever has an alert is shown, by the system or in the foreground by the client; what the
    /// vendor's service extension adds comes only with `mutable-content`.
    init(apns payload: JSON) {
        let (aps, ems) = (payload["aps"], payload["ems"])
        title = aps?["alert"]?["title"]?.string
        body = aps?["alert"]?["body"]?.string ?? aps?["alert"]?.string
        isSilent = aps?["alert"] == nil
        badge = aps?["badge"]?.numeric.map { Int($0) }
        let isExtended = aps?["mutable-content"]?.numeric == 1
        image = isExtended ? payload["image_url"]?.string : nil
        campaign = ems?["multichannelId"]?.string
        // An object, or a JSON text.
        let u = payload["u"]?.string.flatMap { JSON(parsing: Array($0.utf8)) } ?? payload["u"]
        sid = u?["sid"]?.string
        actions = isExtended || isSilent ? ems?["actions"]?.items ?? [] : []
        defaultAction = ems?["default_action"]
    }

    /// The data of a message of FCM; nil when the client leaves it to the app.
    init?(fcm data: [String: String], randomID: String) {
        if data["ems_msg"] != nil {
            self.init(nested: data)
        } else if data["ems.version"] != nil {
            self.init(flat: data)
        } else {
            return nil
        }
        isSilent =
            data["ems"].flatMap { JSON(parsing: Array($0.utf8)) }?["silent"] == .flag(true)
            || data["ems.silent"] == "true"
        if collapseID == nil {
            collapseID = randomID
            operation = "INIT"
        }
    }

    /// V1: what is the vendor's is in `ems`, a JSON text; every other key is the customer's.
    private init(nested data: [String: String]) {
        var rest = data
        func take(_ key: String) -> String? { rest.removeValue(forKey: key) }
        messageID = take("message_id") ?? "Missing messageId"
        image = take("image_url")
        _ = take("icon_url")
        title = take("title")
        let ems = take("ems").flatMap { JSON(parsing: Array($0.utf8)) }
        campaign = ems?["multichannelId"]?.string
        body = take("body")
        channel = take("channel_id")
        let u = take("u").flatMap { JSON(parsing: Array($0.utf8)) }
        sid = u?["sid"]?.string ?? "Missing sid"
        if let method = ems?["notificationMethod"], let id = method["collapseId"]?.string {
            collapseID = id
            operation = method["operation"]?.string?.uppercased() ?? "INIT"
        }
        actions = ems?["actions"]?.items ?? []
        defaultAction = ems?["default_action"]
        rootParameters = rest.mapValues(JSON.text)
    }

    /// V2: flat keys.
    private init(flat data: [String: String]) {
        func json(_ key: String) -> JSON? { data[key].flatMap { JSON(parsing: Array($0.utf8)) } }
        messageID = data["ems.message_id"] ?? "Missing messageId"
        image = data["notification.image"]
        title = data["notification.title"]
        campaign = data["ems.multichannel_id"]
        body = data["notification.body"]
        channel = data["notification.channel_id"]
        sid = data["ems.sid"] ?? "Missing sid"
        if let id = data["ems.notification_method.collapse_key"] {
            collapseID = id
            operation = data["ems.notification_method.operation"]?.uppercased() ?? "INIT"
        }
        actions = json("ems.actions")?.items ?? []
        let tap = "ems.tap_actions.default_action"
        if let type = data["\(tap).type"] {
            var action: [String: JSON] = ["type": .text(type)]
            action["name"] = data["\(tap).name"].map(JSON.text)
            action["url"] = data["\(tap).url"].map(JSON.text)
            action["payload"] = json("\(tap).payload")
            defaultAction = .object(action)
        }
        if case .object(let members)? = json("ems.root_params") { rootParameters = members }
    }
}
