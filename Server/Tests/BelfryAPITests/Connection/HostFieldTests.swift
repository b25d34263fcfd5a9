import Testing

@testable import BelfryAPI

@Suite("The header Host")
struct HostFieldTests {
    @Test(
        "SEC-12: a name, an address of IPv4 or IPv6, with a port or without, or nothing is a Host",
        arguments: [
            "", "a", "shop.example", "SHOP.example:443", "127.0.0.1", "127.0.0.1:8080", "[::1]", "[2001:db8::1]:65535",
            "a:", "shop.example ", "a:80 \t", " ", "xn--bcher-kva.example", "a_b.example", "%61", "[v1.fe80::a+en1]",
        ]
    )
    func valid(text: String) {
        #expect(HostField.isValid(text))
    }

    @Test(
        "SEC-12: anything else is not a Host",
        arguments: [
            " a", "a b", "a/b", "a?b", "a#b", "user@a", "a:b", "a:1:2", "::1", "[::1", "[]", "[::1]x", "[::1]:x",
            "a:123456",
            "a\tb", "a,b", "\"a\"", "<a>", "a\\b", "b\u{fc}cher.example", "a\u{0}", "{a}",
        ]
    )
    func invalid(text: String) {
        #expect(!HostField.isValid(text))
    }
}
