/// Reads one response of HTTP/1.1 from the bytes that come in, however they are cut.
package struct ResponseReader {
    private static let maximumBytes = 4 * 1_048_576
    private static let lineEnd = Array("\r\n".utf8)

    private var bytes: [UInt8] = []

    package init() {}

    /// The response, once it is whole.
    package mutating func take(_ chunk: [UInt8]) throws(WireError) -> V3Response? {
        bytes += chunk
        guard bytes.count <= Self.maximumBytes else { throw WireError("the answer has no end") }
        guard let end = bytes.firstRange(of: Self.lineEnd + Self.lineEnd) else { return nil }
        let (status, reason, headers) = try Self.head(String(decoding: bytes[..<end.lowerBound], as: UTF8.self))
        let bare = V3Response(status: status, reason: reason, headers: headers)
        guard let content = try body(of: bare, from: end.upperBound) else { return nil }
        return V3Response(status: status, reason: reason, headers: headers, body: content)
    }

    private static func head(_ text: String) throws(WireError) -> (Int, String, [V3Field]) {
        // A line end is one character to Swift.
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\r\n" }
        let start = lines[0].split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard start.count >= 2, start[0] == "HTTP/1.1", let status = Int(start[1]) else {
            throw WireError("no status line: \(lines[0])")
        }
        var headers: [V3Field] = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw WireError("no header: \(line)") }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            headers.append(V3Field(String(line[..<colon]), String(value)))
        }
        return (status, start.count == 3 ? String(start[2]) : "", headers)
    }

    private func body(of answer: V3Response, from start: Int) throws(WireError) -> [UInt8]? {
        if [204, 304].contains(answer.status) { return try exactly(0, from: start) }
        if answer.header("Transfer-Encoding")?.lowercased() == "chunked" { return try chunks(from: start) }
        guard let length = answer.header("Content-Length").flatMap({ Int($0) }), length >= 0 else {
            throw WireError("an answer of unknown length")
        }
        return try exactly(length, from: start)
    }

    private func exactly(_ length: Int, from start: Int) throws(WireError) -> [UInt8]? {
        guard bytes.count <= start + length else { throw WireError("more bytes than the answer has") }
        return bytes.count == start + length ? Array(bytes[start...]) : nil
    }

    private func chunks(from start: Int) throws(WireError) -> [UInt8]? {
        var body: [UInt8] = []
        var position = start
        while let end = bytes[position...].firstRange(of: Self.lineEnd) {
            guard let size = Int(String(decoding: bytes[position..<end.lowerBound], as: UTF8.self), radix: 16),
                (0...Self.maximumBytes).contains(size)
            else { throw WireError("no size of a chunk") }
            let next = end.upperBound + size + Self.lineEnd.count
            guard bytes.count >= next else { return nil }
            guard size > 0 else { return body }
            body += bytes[end.upperBound..<end.upperBound + size]
            position = next
        }
        return nil
    }
}

/// Why no response was had.
package struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
