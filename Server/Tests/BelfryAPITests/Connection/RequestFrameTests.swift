import BelfryWire
import NIOHTTP1
import Testing

@testable import BelfryAPI

@Suite("How one request is framed")
struct RequestFrameTests {
    private static func frame(_ method: HTTPMethod, _ fields: (String, String)...) throws -> RequestFrame {
        let headers = HTTPHeaders([("Host", "a")] + fields)
        return try RequestFrame(HTTPRequestHead(version: .http1_1, method: method, uri: "/", headers: headers))
    }

    @Test(
        "SEC-12: a length is too large by its number, not by its digits",
        arguments: [
            ("0", false), ("000", false), ("00000000000000000000005", false), ("00000000000000000000005 ", false),
            ("1048576", false), ("1048577", true), ("00000000000000000001048576", false),
            ("00000000000000000001048577\t", true), ("9999999999999999999", true), ("18446744073709551616", true),
        ]
    )
    func length(text: String, isOversized: Bool) throws {
        let frame = try Self.frame(.POST, ("Content-Length", text))
        #expect(frame.isOversized == isOversized && frame.isLast == isOversized)
        // As the router's edge reads it.
        let digits = text.prefix { $0 != " " && $0 != "\t" }
        #expect(isOversized == (Int(digits).map { $0 > WireLimits.maximumBodyBytes } ?? true))
    }

    @Test("SEC-12: a request to connect or to upgrade is the last of its connection")
    func upgrade() throws {
        #expect(try Self.frame(.GET, ("upgrade", "h2c"), ("Connection", "Upgrade")).isLast)
        #expect(try Self.frame(.GET, ("Upgrade", "websocket")).isLast)
        #expect(try Self.frame(.CONNECT).isLast)
        #expect(try !Self.frame(.GET).isLast)
        #expect(try !Self.frame(.POST, ("Connection", "keep-alive")).isLast)
    }
}
