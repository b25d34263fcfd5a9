/// A readable transcript: every byte except the secrets, which are shortened.
package struct V3Transcript: Sendable {
    /// Characters that are shown of a body.
    private static let maximumBody = 4_000
    private static let shown = 12
    private static let secretHeaders: Set<String> = ["x-client-state", "x-contact-token"]

    private let exchanges: [V3Exchange]
    private let pushes: [String: JSON]

    /// - Parameter pushes: what the device got from its push service, by the chapter that begins with it.
    package init(_ exchanges: [V3Exchange], pushes: [String: JSON] = [:]) {
        self.exchanges = exchanges
        self.pushes = pushes
    }

    /// A heading for each chapter, a block for each exchange.
    ///
    /// - Parameter heading: what the headings begin with, such as `####`.
    package func markdown(heading: String) -> String {
        var text = ""
        var chapter: String?
        for exchange in exchanges {
            if exchange.chapter != chapter {
                text += "\(heading) \(exchange.chapter)\n\n"
                chapter = exchange.chapter
                if let push = pushes[exchange.chapter] { text += "```json\n\(push.readable)\n```\n\n" }
            }
            text += "```http\n\(Self.text(of: exchange))\n```\n\n"
        }
        return text
    }

    private static func text(of exchange: V3Exchange) -> String {
        let request = exchange.request
        let said = message("\(request.line) HTTP/1.1", request.headers, request.body ?? [])
        guard let answer = exchange.answer else { return "\(said)\n\nNo answer: \(exchange.fault ?? "unknown")" }
        // The date says nothing about the protocol.
        let headers = answer.headers.filter { $0.name.lowercased() != "date" }
        return "\(said)\n\n\(message("HTTP/1.1 \(answer.status) \(answer.reason)", headers, answer.body))"
    }

    private static func message(_ start: String, _ headers: [V3Field], _ body: [UInt8]) -> String {
        let lines = [start] + headers.map { "\($0.name): \(shortened($0))" }
        guard !body.isEmpty else { return lines.joined(separator: "\n") }
        let text = withoutSecrets(String(decoding: body, as: UTF8.self))
        let rest = text.count > maximumBody ? "… (\(body.count) bytes)" : ""
        return (lines + ["", String(text.prefix(maximumBody)) + rest]).joined(separator: "\n")
    }

    private static func shortened(_ field: V3Field) -> String {
        secretHeaders.contains(field.name.lowercased()) ? "\(field.value.prefix(shown))…" : field.value
    }

    private static func withoutSecrets(_ body: String) -> String {
        let secret =
            /"(contactToken|refreshToken|contactReference|pushToken|openIdToken)"(\s*:\s*)"([^"]{1,12})[^"]*"/
        return body.replacing(secret) { "\"\($0.1)\"\($0.2)\"\($0.3)…\"" }
    }
}
