import BelfryModel
import BelfryServices
import BelfryWire

/// The responses of the message centers as JSON. Each message was encoded when it was stored, except for the contact's
/// own parts, so a fetch only joins texts (PERF-7).
struct InboxText: Sendable {
    /// The size of a usual message in bytes, to reserve capacity.
    private static let usualMessage = 512

    private var text: JSONWriter

    private init(messages: Int) {
        text = JSONWriter(capacity: 256 + messages * Self.usualMessage)
    }

    /// The same JSON as ``BelfryWire/MessageCentersResponse``.
    static func centers(_ inbox: Inbox) -> [UInt8] {
        var response = InboxText(messages: inbox.centers.reduce(0) { $0 + $1.messages.count })
        response.text.literal(#"{"messageCenters":["#)
        for (index, center) in inbox.centers.enumerated() {
            response.text.literal(index == 0 ? #"{"name":"# : #",{"name":"#)
            response.text.string(center.name.rawValue)
            if let label = center.label {
                response.text.literal(#","label":"#)
                response.text.string(label)
            }
            response.text.literal(",")
            response.append(center.messages)
            response.text.literal("}")
        }
        response.text.literal(#"],"disabled":["#)
        for (index, name) in inbox.disabled.enumerated() {
            if index > 0 { response.text.literal(",") }
            response.text.string(name.rawValue)
        }
        response.text.literal(#"],"badge":{"count":"#)
        response.text.integer(Int64(inbox.badge.count))
        response.text.literal(#","revision":"#)
        response.text.integer(inbox.badge.revision)
        response.text.literal("}")
        if let result = inbox.registration {
            response.text.literal(",")
            response.text.member(registration: result)
        }
        response.text.literal("}")
        return response.text.bytes
    }

    /// The same JSON as ``BelfryWire/MessageCenterMessagesResponse``.
    static func messages(_ messages: [InboxMessage]) -> [UInt8] {
        var response = InboxText(messages: messages.count)
        response.text.literal("{")
        response.append(messages)
        response.text.literal("}")
        return response.text.bytes
    }

    /// The same JSON as ``BelfryWire/MessageCenterMessageBody``.
    static func message(_ message: InboxMessage) -> [UInt8] {
        var response = InboxText(messages: 1)
        response.append(message)
        return response.text.bytes
    }

    /// The same JSON as ``BelfryWire/RichContentResponse``.
    static func richContent(id: String, html: String) -> [UInt8] {
        var text = JSONWriter(capacity: html.utf8.count + html.utf8.count / 8 + 128)
        text.literal(#"{"id":"#)
        text.string(id)
        text.literal(#","html":"#)
        text.string(html)
        text.literal("}")
        return text.bytes
    }

    private mutating func append(_ messages: [InboxMessage]) {
        text.literal(#""messages":["#)
        for (index, message) in messages.enumerated() {
            if index > 0 { text.literal(",") }
            append(message)
        }
        text.literal("]")
    }

    private mutating func append(_ message: InboxMessage) {
        text.literal(#"{"id":""#)
        // An id, a date and a state contain nothing that must be escaped.
        text.raw(message.id.text)
        text.literal(#"","sent_ts":""#)
        text.raw(Timestamp.text(message.sentAt))
        text.literal(#"","state":""#)
        text.raw(message.state.rawValue)
        text.literal(#"","#)
        text.raw(message.members)
        text.literal("}")
    }
}
