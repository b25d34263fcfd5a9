/// A request as its bytes go over a connection.
struct WireRequest: Sendable {
    var method = "POST"
    var path: String
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// The sizes of its chunks, the last of them again and again; nil: its length is announced.
    var chunks: [Int]?

    /// Whether the connection ends with its response.
    var isLast: Bool {
        let connection = headers.filter { $0.name.lowercased() == "connection" }.map(\.value)
        return connection == ["close"] || headers.contains { $0.name.lowercased() == "upgrade" }
    }

    var bytes: [UInt8] {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: a\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        head += chunks == nil ? "Content-Length: \(body.count)\r\n\r\n" : "Transfer-Encoding: chunked\r\n\r\n"
        return Array(head.utf8) + (chunks.map(chunked) ?? body)
    }

    private func chunked(_ sizes: [Int]) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = body[...]
        var sizes = sizes[...]
        while !rest.isEmpty {
            let size = sizes.count > 1 ? sizes.removeFirst() : sizes.first ?? rest.count
            let piece = rest.prefix(max(size, 1))
            rest = rest.dropFirst(piece.count)
            bytes.append(contentsOf: "\(String(piece.count, radix: 16))\r\n".utf8)
            bytes.append(contentsOf: piece)
            bytes.append(contentsOf: "\r\n".utf8)
        }
        bytes.append(contentsOf: "0\r\n\r\n".utf8)
        return bytes
    }

    /// Puts a header in the place of all of its name; nil leaves them out.
    mutating func set(_ name: String, _ value: String?) {
        headers.removeAll { $0.name.lowercased() == name.lowercased() }
        if let value { headers.append((name, value)) }
    }
}

extension WireRequest {
    /// A call of a device with all that one sends; `path` begins behind the app.
    init(_ path: String, _ body: String, by device: TestDevice, order: Int64, version: String = "v3") {
        self.init(path: "/\(version)/apps/\(device.app)\(path)", body: Array(body.utf8))
        headers = [
            ("Content-Type", "application/json"), ("X-Client-Id", device.id), ("X-Request-Order", String(order)),
            ("X-Contact-Token", device.contactToken ?? ""),
        ]
    }

    static let health = WireRequest(method: "GET", path: "/healthz")
}
