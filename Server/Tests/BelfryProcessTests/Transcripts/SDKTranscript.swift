import Belfry
import BelfryWire
import Foundation
import V3Client

/// What an app and a server said, the same in every run: ids, tokens and times have names in the order of their coming.
struct SDKTranscript {
    /// Headers that say something about the story; the others are the same with every request.
    private static let shownHeaders = [HeaderNames.clientState, HeaderNames.contactToken]
    /// What a member of a body, or a header, holds that differs from run to run, and its name on the page.
    private static let kinds = [
        HeaderNames.clientState: "state", HeaderNames.contactToken: "contact token", "contactToken": "contact token",
        "refreshToken": "refresh token", "contactReference": "reference", "contact": "reference", "deviceId": "device",
        "sessionId": "session", "registrationId": "registration", "id": "event", "pushToken": "push token",
        "timestamp": "time", "lastOpenedAt": "time",
    ]
    /// Columns of a body's line beyond which it is broken.
    private static let width = 100

    private(set) var markdown = ""
    /// Value → its name on the page.
    private var names: [String: String] = [:]
    private var counts: [String: Int] = [:]

    /// - Parameter text: one paragraph.
    mutating func begin(_ heading: String, _ text: String) {
        markdown += "\(heading)\n\n\(text)\n\n"
    }

    mutating func add(_ call: String, _ exchanges: [RecordingTransport.Exchange], seen: String) {
        markdown += "```swift\n\(call)\n```\n\n"
        for exchange in exchanges { markdown += "```http\n\(text(of: exchange))\n```\n\n" }
        if exchanges.isEmpty { markdown += "Nothing is sent. " }
        markdown += "The app saw: \(seen)\(seen.hasSuffix("”") ? "" : ".")\n\n"
    }

    private mutating func text(of exchange: RecordingTransport.Exchange) -> String {
        let request = exchange.request
        var lines = ["\(request.method) \(request.path)"]
        lines += headers { request.headers[$0] }
        lines += body(request.body ?? Data())
        guard let response = exchange.response else { return (lines + ["", "no response"]).joined(separator: "\n") }
        lines += ["", "\(response.status)"]
        lines += headers { response.header($0) }
        lines += body(response.body)
        return lines.joined(separator: "\n")
    }

    private mutating func headers(_ value: (String) -> String?) -> [String] {
        var lines: [String] = []
        for header in Self.shownHeaders {
            if let value = value(header) { lines.append("\(header): \(name(of: value, header) ?? value)") }
        }
        return lines
    }

    /// One line, or a line for some members each where it would be long.
    private mutating func body(_ bytes: Data) -> [String] {
        guard !bytes.isEmpty else { return [] }
        guard let json = JSON(parsing: Array(bytes)) else { return [String(decoding: bytes, as: UTF8.self)] }
        guard case .object(let members) = named(json, "") else { return [printed(named(json, ""))] }
        var lines = [""]
        for (place, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
            let text = "\"\(member.key)\": \(spread(member.value))" + (place + 1 < members.count ? ", " : "")
            if !lines[lines.count - 1].isEmpty, lines[lines.count - 1].count + text.count > Self.width {
                lines.append("")
            }
            lines[lines.count - 1] += text
        }
        lines = lines.map { " " + $0.trimmingCharacters(in: .whitespaces) }
        lines[0] = "{" + lines[0].dropFirst()
        lines[lines.count - 1] += "}"
        return lines
    }

    /// A long list has a line for each item.
    private func spread(_ json: JSON) -> String {
        let text = printed(json)
        guard let items = json.items, text.count > Self.width else { return text }
        return "[\n" + items.map { "  \(printed($0))" }.joined(separator: ",\n") + "\n ]"
    }

    private func printed(_ json: JSON) -> String {
        json.printed(pretty: false).replacing("\\/", with: "/")
    }

    private mutating func named(_ json: JSON, _ key: String) -> JSON {
        switch json {
        case .object(let members):
            var changed = members
            for (key, value) in members.sorted(by: { $0.key < $1.key }) { changed[key] = named(value, key) }
            return .object(changed)
        case .list(let items):
            var changed: [JSON] = []
            for item in items { changed.append(named(item, key)) }
            return .list(changed)
        case .text(let text): return .text(name(of: text, key) ?? text)
        default: return json
        }
    }

    /// The name of a value that differs from run to run; nil for any other.
    private mutating func name(of value: String, _ key: String) -> String? {
        guard let kind = Self.kinds[key] else { return nil }
        guard kind != "time" else { return "<time>" }
        if let known = names[value] { return known }
        counts[kind, default: 0] += 1
        let name = "<\(kind) \(counts[kind, default: 1])>"
        names[value] = name
        return name
    }
}
