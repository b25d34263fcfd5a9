/// A response as it came over the wire.
package struct V3Response: Hashable, Sendable {
    package let status: Int
    package let reason: String
    package let headers: [V3Field]
    package let body: [UInt8]

    package init(status: Int, reason: String = "", headers: [V3Field] = [], body: [UInt8] = []) {
        self.status = status
        self.reason = reason
        self.headers = headers
        self.body = body
    }

    package var isSuccess: Bool { (200..<300).contains(status) }

    package var json: JSON? { JSON(parsing: body) }

    /// The value of a header, whatever its case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// iOS reads the body of a success that begins as JSON does; Android reads every body.
    func body(readBy flavour: V3Flavour) -> JSON? {
        switch flavour {
        case .ios: isSuccess && beginsAsJSON ? json : nil
        case .android: json
        }
    }

    /// Neither a space nor a byte order mark may precede it.
    var beginsAsJSON: Bool { body.first == UInt8(ascii: "{") || body.first == UInt8(ascii: "[") }

    /// The connection ends with this response.
    var isLast: Bool { header("Connection")?.lowercased() == "close" }
}
