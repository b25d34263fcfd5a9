import Foundation
import NIOCore

@testable import BelfryAPI

/// A response as it came over a connection.
struct WireResponse: Hashable, Sendable {
    let status: Int
    /// Names in lower case, in alphabetical order, without the date.
    let fields: [String]
    let date: String
    let body: String

    private static let headEnd = Array("\r\n\r\n".utf8)

    /// Takes the first response out of what was received; nil when it is not whole yet.
    init?(takingFrom bytes: inout ByteBuffer) {
        let received = Array(bytes.readableBytesView)
        guard let end = received.firstRange(of: Self.headEnd) else { return nil }
        let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let fields = lines.dropFirst().map(Self.field)
        let length = fields.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
        guard received.count - end.upperBound >= length else { return nil }
        status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        self.fields = fields.filter { $0.name != "date" }.map { "\($0.name): \($0.value)" }.sorted()
        date = fields.first { $0.name == "date" }?.value ?? ""
        body = String(decoding: received[end.upperBound...].prefix(length), as: UTF8.self)
        bytes.moveReaderIndex(forwardBy: end.upperBound + length)
    }

    private static func field(_ line: String) -> (name: String, value: String) {
        let parts = line.split(separator: ":", maxSplits: 1)
        let value = parts.dropFirst().first.map { $0.trimmingCharacters(in: .whitespaces) }
        return ((parts.first ?? "").lowercased(), value ?? "")
    }

    /// Everything except the date, which may differ between two servers.
    var timeless: String {
        (["\(status)"] + fields + [body]).joined(separator: "\n")
    }

    /// Whether the server ends the connection with it.
    var isLast: Bool { fields.contains("connection: close") }

    /// Whether the express lane has given it. Only the lane asks the test's clock for the date; the library asks the
    /// real one.
    func isExpress(of server: TestServer) -> Bool {
        date == HTTPDateText().text(server.clock.now)
    }
}
