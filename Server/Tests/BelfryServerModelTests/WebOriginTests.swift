import BelfryModel
import BelfryServerModel
import BelfryTestSupport
import Testing

struct WebOriginTests {
    @Test(
        "WIRE-24: an origin is spelled as browsers spell it",
        arguments: [
            ("https://www.example.com", "https://www.example.com"),
            ("HTTPS://WWW.Example.COM", "https://www.example.com"),
            ("https://example.com:443", "https://example.com"), ("http://example.com:80", "http://example.com"),
            ("http://example.com:443", "http://example.com:443"), ("http://localhost:8080", "http://localhost:8080"),
            ("http://127.0.0.1:3000", "http://127.0.0.1:3000"), ("http://[::1]:3000", "http://[::1]:3000"),
            ("https://[2001:DB8::1]", "https://[2001:db8::1]"), ("capacitor://localhost", "capacitor://localhost"),
            ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
            ("https://example.com:080", "https://example.com:80"),
        ]
    )
    func origins(raw: String, expected: String) throws {
        #expect(try WebOrigin(raw).rawValue == expected)
        #expect(try WebOrigin(expected).rawValue == expected)
    }

    @Test(
        "WIRE-24: an address with a path, a pattern or an incomplete address is not an origin",
        arguments: [
            "", "*", "null", "example.com", "//example.com", "https://", "https:///", "https://example.com/",
            "https://example.com/a", "https://example.com?a", "https://example.com#a", "https://*.example.com",
            "https://user@example.com", "https://example.com:", "https://example.com:0", "https://example.com:65536",
            "https://example.com:+1", "https://example.com:8o", "https://example..com", "https://.example.com",
            " https://example.com", "https://exa mple.com", "https://bücher.example", "1http://example.com",
            "https://[::1", "https://[]", "https://::1", "https://[::1]x", "https://[g::1]", "https://a://b",
            "https://\u{212A}.example", "https://a\0.example",
        ]
    )
    func noOrigins(raw: String) {
        #expect(valueErrorCode { try WebOrigin(raw) } == "invalidOrigin")
    }

    @Test("WIRE-24: the length of an origin is limited")
    func originLength() throws {
        let label = String(repeating: "a", count: 251)
        #expect(throws: Never.self) { try WebOrigin("https://\(label).b") }
        #expect(valueErrorCode { try WebOrigin("https://\(label).bc") } == "invalidOrigin")
        #expect(
            valueErrorCode { try WebOrigin("https://" + String(repeating: "a.", count: 500_000)) } == "invalidOrigin")
    }
}
