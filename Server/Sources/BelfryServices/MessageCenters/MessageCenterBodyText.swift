import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel

/// The part of a message that is the same in every response, in the wire's format (MC-8, WIRE-10): the members of a
/// JSON object without its braces, so that a fetch only concatenates texts (PERF-7). The id, time and state are added
/// by the fetch.
enum MessageCenterBodyText {
    /// - Parameter content: the content for one recipient.
    static func make(_ content: MessageCenterContent) throws(RenderError) -> String {
        var text = MessageCenterBodyWriter()
        text.add("subject", content.subject)
        text.add("message", content.message)
        text.add("deeplink_url", content.deeplinkUrl.map(WireURL.encoded))
        text.add("richmessage_url", content.richUrl.map(WireURL.encoded))
        text.add("icon_url", content.iconUrl.map(WireURL.encoded))
        text.add("expiry_ts", content.expiresAt.map(Timestamp.text))
        text.add("message_center_name", content.center ?? MessageCenterName.primary.rawValue)
        text.begin("has_rich_content")
        text.raw(content.richHtml == nil ? "false" : "true")
        if let custom = content.custom, !custom.isEmpty { try text.add("custom", custom) }
        return text.text
    }
}

/// Writes members one after the other. A templated message may have a million recipients, and an encoder would take ten
/// times as long.
private struct MessageCenterBodyWriter {
    private var bytes: [UInt8] = []

    init() {
        bytes.reserveCapacity(512)
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    mutating func begin(_ key: String) {
        if let last = bytes.last, last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
        string(key)
        raw(":")
    }

    mutating func add(_ key: String, _ value: String?) {
        guard let value else { return }
        begin(key)
        string(value)
    }

    /// The app's own pairs, sorted by key, so that equal content gives equal bytes.
    mutating func add(_ key: String, _ pairs: [String: AttributeValue]) throws(RenderError) {
        begin(key)
        raw("{")
        for (key, value) in pairs.sorted(by: { $0.key < $1.key }) {
            begin(key)
            switch value {
            case .string(let text): string(text)
            case .boolean(let flag): raw(flag ? "true" : "false")
            case .date(let date): string(Timestamp.text(date))
            case .number(let number):
                guard number.isFinite else {
                    throw RenderError(
                        field: "custom.\(key)", variable: "", sentence: "The number cannot be written as JSON."
                    )
                }
                raw(Int64(exactly: number)?.description ?? number.description)
            }
        }
        raw("}")
    }

    mutating func raw(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func string(_ text: String) {
        raw("\"")
        JSONEscape.append(text, to: &bytes)
        raw("\"")
    }
}
