/// A header, in the very case in which it stands on the wire.
package struct V3Field: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A request as it goes over the wire.
package struct V3Request: Hashable, Sendable {
    package let method: String
    /// With the query.
    package let path: String
    package let headers: [V3Field]
    package let body: [UInt8]?

    /// Its method and path, in one line: `POST /v3/apps/shop/client`.
    package var line: String { "\(method) \(path)" }

    package var json: JSON? { body.flatMap(JSON.init(parsing:)) }

    /// The value of the header that is spelled exactly so.
    package func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }

    var bytes: [UInt8] {
        let lines = ["\(line) HTTP/1.1"] + headers.map { "\($0.name): \($0.value)" }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? [])
    }
}
