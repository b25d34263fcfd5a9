/// The members that a message of the FCM v1 API may have, and their values. Google's JSON accepts each name in two
/// spellings, `collapse_key` and `collapseKey`.
///
/// Source: Google, "REST Resource: projects.messages".
indirect enum FCMMessageForm: Sendable {
    case string
    case bool
    case number
    /// An object whose values are strings.
    case texts
    /// Any object: what is passed on to another service is not checked.
    case anyObject
    case list
    case object([String: FCMMessageForm])

    static let request = FCMMessageForm.object(["message": message, "validate_only": .bool])

    private static let message = FCMMessageForm.object([
        "name": .string, "data": .texts, "notification": notification, "android": android, "webpush": webPush,
        "apns": apns, "fcm_options": options, "token": .string, "fid": .string, "topic": .string,
        "condition": .string,
    ])

    private static let notification = FCMMessageForm.object(["title": .string, "body": .string, "image": .string])
    private static let options = FCMMessageForm.object(["analytics_label": .string])

    /// The `apns` part. Its payload is in Apple's format.
    private static let apns = FCMMessageForm.object([
        "headers": .texts, "payload": .anyObject, "live_activity_token": .string,
        "fcm_options": .object(["analytics_label": .string, "image": .string]),
    ])

    /// The `webpush` part. Its notification is in the browser's format (Web Notifications).
    private static let webPush = FCMMessageForm.object([
        "headers": .texts, "data": .texts, "notification": .anyObject,
        "fcm_options": .object(["analytics_label": .string, "link": .string]),
    ])

    private static let android = FCMMessageForm.object([
        "collapse_key": .string, "priority": .string, "ttl": .string, "restricted_package_name": .string,
        "data": .texts, "notification": androidNotification, "fcm_options": options, "direct_boot_ok": .bool,
        "bandwidth_constrained_ok": .bool, "restricted_satellite_ok": .bool,
    ])

    private static let androidNotification = FCMMessageForm.object([
        "title": .string, "body": .string, "icon": .string, "color": .string, "sound": .string, "tag": .string,
        "click_action": .string, "body_loc_key": .string, "body_loc_args": .list, "title_loc_key": .string,
        "title_loc_args": .list, "channel_id": .string, "ticker": .string, "sticky": .bool, "event_time": .string,
        "local_only": .bool, "notification_priority": .string, "default_sound": .bool,
        "default_vibrate_timings": .bool, "default_light_settings": .bool, "vibrate_timings": .list,
        "visibility": .string, "notification_count": .number, "light_settings": .anyObject, "image": .string,
        "bypass_proxy_notification": .bool, "proxy": .string,
    ])

    /// Throws an error for an invalid value, with its path.
    func check(_ value: JSONValue, at path: String) throws(FCMRequestError) {
        // In Google's JSON, null is the same as an absent member.
        if value == .null { return }
        switch (self, value) {
        case (.string, .string), (.bool, .bool), (.number, .number), (.anyObject, .object), (.list, .array):
            return
        case (.texts, .object(let members)):
            for (index, member) in members.enumerated() {
                guard case .string = member.value else {
                    throw Self.wrong("TYPE_STRING", at: "\(path)[\(index)].value")
                }
            }
        case (.object(let forms), .object(let members)):
            for member in members {
                guard let form = forms[member.name] ?? forms[Self.underscored(member.name)] else {
                    let place = path.isEmpty ? "" : " at '\(path)'"
                    throw .malformed(
                        path,
                        "Invalid JSON payload received. Unknown name \"\(member.name)\"\(place): Cannot find field."
                    )
                }
                try form.check(member.value, at: path.isEmpty ? member.name : "\(path).\(member.name)")
            }
        default:
            throw Self.wrong(expected, at: path)
        }
    }

    /// Whether `text` is the other spelling of `name`.
    static func isSpelling(_ text: String, of name: String) -> Bool {
        text.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } && underscored(text) == name
    }

    /// The other spelling: `collapse_key` for `collapseKey`.
    private static func underscored(_ name: String) -> String {
        let bytes = name.utf8.flatMap { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? [UInt8(ascii: "_"), byte | 0x20] : [byte]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private var expected: String {
        switch self {
        case .string: "TYPE_STRING"
        case .bool: "TYPE_BOOL"
        case .number: "TYPE_INT32"
        case .list: "list"
        case .texts, .anyObject, .object: "object"
        }
    }

    private static func wrong(_ type: String, at path: String) -> FCMRequestError {
        .malformed(path, "Invalid value at '\(path)' (\(type))")
    }
}
