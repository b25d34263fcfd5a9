import Foundation

/// Decides whether FCM would accept a message. It has no side effects and gets all facts as parameters.
///
/// Google documents the answers but not their order. The order here is: path, access token, project, form of the JSON,
/// values, token; and last the device (`error(by:project:)`), so that a fault of the sender never looks like a fault
/// of a device.
///
/// Sources: Google, "Method: projects.messages.send", "ErrorCode", and the form in `FCMMessageForm`.
enum FCMMessageCheck {
    /// The maximum size in bytes of the keys and values in `data` and the notifications ("Message too big").
    static let payloadLimit = 4_096
    /// Four weeks in seconds: the maximum, and the default without `ttl`.
    static let longestTimeToLive = 2_419_200
    /// Reads the body; `messageIDPath` is the path of the sender's own id in `data`.
    static func push(from request: PlainRequest, messageIDPath: [String]) throws(FCMRequestError) -> FCMPush {
        guard request.bodyLength <= PlainRequest.keptBytes else {
            throw .invalid("message", "Request payload size exceeds the limit.")
        }
        guard let members = JSONValue.object(from: request.body) else {
            throw .malformed("", "Invalid JSON payload received.")
        }
        try FCMMessageForm.request.check(.object(members), at: "")
        guard case .object(let message)? = members["message"] else {
            throw .invalid("message", "Message cannot be empty.")
        }
        let fields = FCMFields(message)
        let data = try checkData(fields)
        try checkSize(fields)
        let android = fields.object("android")
        let timeToLive = try readTimeToLive(android.text("ttl"))
        let isShown = fields.has("notification") || android.has("notification")
        let priority = try readPriority(android.text("priority"), isShown: isShown)
        try checkVisibility(android.object("notification").text("visibility"))
        return FCMPush(
            recipient: try readRecipient(fields),
            collapseKey: android.text("collapse_key"),
            timeToLive: timeToLive,
            priority: priority,
            isOnlyValidated: FCMFields(members)["validate_only"] == .bool(true),
            messageID: JSONValue.object(data).text(at: messageIDPath[...]),
            body: request.body
        )
    }

    /// Why the device does not take the message, or nil if it does. No device: it was unregistered long ago. `field` is
    /// where the message names it.
    static func error(of project: String, by device: FCMDeviceState?, field: String) -> FCMRequestError? {
        guard let device else { return FCMRequestError(.unregistered, "Requested entity was not found.") }
        guard device.state != .malformed else { return malformed(field) }
        guard device.project == project, device.state != .otherSender else {
            return FCMRequestError(.senderIDMismatch, "SenderId mismatch")
        }
        return switch device.state {
        case .unregistered: FCMRequestError(.unregistered, "Requested entity was not found.")
        case .thirdPartyAuthError: FCMRequestError(.thirdPartyAuthError, "Auth error from APNS or Web Push Service")
        case .valid, .malformed, .otherSender: nil
        }
    }
}

// MARK: Values
extension FCMMessageCheck {
    private static let installationField = "message.fid"

    private static func malformed(_ field: String) -> FCMRequestError {
        field == installationField
            ? .invalid(field, "The Firebase installation ID is not valid")
            : .invalid(field, "The registration token is not a valid FCM registration token")
    }

    /// Exactly one of four members names the recipient.
    private static func readRecipient(_ message: FCMFields) throws(FCMRequestError) -> FCMPush.Recipient {
        let given = ["token", "fid", "topic", "condition"].filter { message.has($0) }
        guard let member = given.first, let text = message.text(member), !text.isEmpty else {
            throw .invalid("message", "Recipient of the message is not set.")
        }
        guard given.count == 1 else {
            throw .invalid("message", "A message has one recipient: token, fid, topic or condition.")
        }
        let field = "message.\(member)"
        switch member {
        case "topic":
            guard FCMCondition.isName(text) else { throw .invalid(field, "Invalid topic name: \(text.prefix(100))") }
            return .topics(.topic(text))
        case "condition":
            guard let condition = FCMCondition(text) else {
                throw .invalid(field, "Invalid condition expression provided.")
            }
            return .topics(condition)
        default:
            let key = field == installationField ? FCMInstallationID.key(of: text) : FCMTokenText.key(of: text)
            guard let key else { throw malformed(field) }
            return .device(key, field: field)
        }
    }

    /// The registration that subscribes to a topic: a token or an installation id.
    static func registration(_ text: String) throws(FCMRequestError) -> DeviceTokenKey {
        guard let key = FCMAddress.key(of: text) else {
            throw .invalid("parent", "The registration is not a valid FCM registration token or installation ID")
        }
        return key
    }

    private static func checkData(_ message: FCMFields) throws(FCMRequestError) -> [JSONMember] {
        let data = message.object("data").members
        for member in data + message.object("android").object("data").members {
            // Google: "The key should not be a reserved word ("from", "message_type", or any word starting with
            // "google." or "gcm.notification.")".
            let isReserved =
                ["from", "message_type"].contains(member.name)
                || ["google.", "gcm.notification."].contains { member.name.hasPrefix($0) }
            guard !isReserved else { throw .invalid("message.data", "Invalid data payload key: \(member.name)") }
        }
        return data
    }

    /// Google: "Check that the total size of the payload data included in a message does not exceed FCM limits: 4096
    /// bytes for most messages […] This includes both the keys and the values." The texts of notifications count, too.
    private static func checkSize(_ message: FCMFields) throws(FCMRequestError) {
        let android = message.object("android")
        let counted = [
            message.object("data"), message.object("notification"), android.object("data"),
            android.object("notification"),
        ]
        let size = counted.reduce(0) { $0 + $1.size }
        guard size <= payloadLimit else { throw .invalid("message", "Android message is too big") }
    }

    /// "A duration in seconds with up to nine fractional digits, terminated by 's'"; fractions are dropped.
    private static func readTimeToLive(_ text: String?) throws(FCMRequestError) -> Int {
        guard let text else { return longestTimeToLive }
        let parts = text.utf8.dropLast()
            .split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let isDecimal = parts.allSatisfy { part in
            !part.isEmpty && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        guard text.utf8.last == UInt8(ascii: "s"), isDecimal,
            let seconds = parts.first.flatMap({ Int(Substring($0)) })
        else {
            throw .malformed(
                "message.android.ttl",
                "Invalid value at 'message.android.ttl' (type.googleapis.com/google.protobuf.Duration)"
            )
        }
        guard seconds <= longestTimeToLive else {
            throw .invalid("message.android.ttl", "Invalid TTL: it must be 0 to 2,419,200 seconds")
        }
        return seconds
    }

    /// Google: "data messages have normal priority, and notification messages have high priority" by default.
    private static func readPriority(_ text: String?, isShown: Bool) throws(FCMRequestError) -> FCMPush.Priority {
        guard let text else { return isShown ? .high : .normal }
        guard let priority = FCMPush.Priority(rawValue: text.uppercased()) else {
            throw .malformed(
                "message.android.priority",
                "Invalid value at 'message.android.priority' (TYPE_ENUM)"
            )
        }
        return priority
    }

    /// The visibility on a locked screen is one of an enumeration.
    private static func checkVisibility(_ text: String?) throws(FCMRequestError) {
        guard let text else { return }
        guard ["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"].contains(text) else {
            throw .malformed(
                "message.android.notification.visibility",
                "Invalid value at 'message.android.notification.visibility' (TYPE_ENUM)"
            )
        }
    }
}

/// A message in valid form. Whether the device accepts it is checked separately.
struct FCMPush: Sendable, Equatable {
    /// The priority of the delivery, which is not the priority of the notification on Android.
    enum Priority: String, Sendable {
        case normal = "NORMAL"
        case high = "HIGH"
    }

    /// The recipients of the message.
    enum Recipient: Sendable, Equatable {
        /// `field` is the member that names the device.
        case device(DeviceTokenKey, field: String)
        /// All devices whose topics meet the condition.
        case topics(FCMCondition)
    }

    var recipient: Recipient
    var collapseKey: String?
    /// In seconds.
    var timeToLive: Int
    var priority: Priority
    /// Whether it is only checked and not delivered.
    var isOnlyValidated: Bool
    /// The sender's own id of the message; nil if it has none.
    var messageID: String?
    /// The JSON of the request.
    var body: [UInt8]
}
