import Testing

@testable import BelfryServices

@Suite("Who the caller is")
struct TrustedProxiesTests {
    private static func caller(_ proxies: String, peer: String, _ header: String?) throws -> IPAddress {
        let proxies = try #require(TrustedProxies(proxies))
        return proxies.caller(peer: try #require(IPAddress(peer)), forwardedFor: header)
    }

    @Test(
        "SEC-2: X-Forwarded-For of a trusted peer counts, up to the last untrusted hop",
        arguments: [
            // No proxy is trusted: anybody can send the header.
            ("", "203.0.113.1", "198.51.100.7", "203.0.113.1"),
            ("10.0.0.0/8", "203.0.113.1", "198.51.100.7", "203.0.113.1"),
            ("10.0.0.0/8", "10.1.2.3", "198.51.100.7", "198.51.100.7"),
            ("10.0.0.0/8", "10.1.2.3", nil, "10.1.2.3"),
            // The client invents hops before its own; the proxy adds the true one last.
            ("10.0.0.0/8", "10.1.2.3", "1.1.1.1, 2.2.2.2, 198.51.100.7", "198.51.100.7"),
            // Two proxies in a row.
            ("10.0.0.0/8", "10.1.2.3", "1.1.1.1, 198.51.100.7, 10.9.9.9", "198.51.100.7"),
            ("10.0.0.0/8, 192.0.2.1", "10.1.2.3", "198.51.100.7,192.0.2.1", "198.51.100.7"),
            // All are proxies: the farthest is as good as it gets.
            ("10.0.0.0/8", "10.1.2.3", "10.0.0.1,10.0.0.2", "10.0.0.1"),
            ("10.0.0.0/8", "10.1.2.3", "198.51.100.7, unknown", "10.1.2.3"),
            ("10.0.0.0/8", "10.1.2.3", "198.51.100.7:4711", "198.51.100.7"),
            ("10.0.0.0/8", "10.1.2.3", "[2001:db8::7]:4711", "2001:db8::7"),
            ("::1", "::1", "2001:db8::7", "2001:db8::7"),
            ("fd00::/8", "fd12::1", "2001:db8::7", "2001:db8::7"),
            ("127.0.0.1", "::ffff:127.0.0.1", "198.51.100.7", "198.51.100.7"),
            ("0.0.0.0/0", "203.0.113.1", "198.51.100.7", "198.51.100.7"),
            ("10.0.0.0/8", "10.1.2.3", "", "10.1.2.3"), ("10.0.0.0/8", "10.1.2.3", ", ,", "10.1.2.3"),
        ] as [(String, String, String?, String)]
    )
    func callers(proxies: String, peer: String, header: String?, expected: String) throws {
        #expect(try Self.caller(proxies, peer: peer, header) == IPAddress(expected))
    }

    @Test(
        "SEC-6: an address ends with its text, not at a null, and has nothing before or after it",
        arguments: [
            "203.0.113.5\0", "203.0.113.5\0, 10.0.0.1", "::1\0", "\0", "203.0.113.5 ", " 203.0.113.5", "203.0.113.5\n",
            "fe80::1%lo", "203.0.113.5\u{301}", "٢٠٣.0.113.5", "203.0.113", "0x7f.0.0.1", "1::2::3",
            String(repeating: "0", count: 60) + "::1",
        ]
    )
    func whole(text: String) {
        #expect(IPAddress(text) == nil)
        #expect(AddressBlock(text) == nil && AddressBlock(text + "/8") == nil)
    }

    @Test(
        "SEC-2: a block has the addresses that share its first bits",
        arguments: [
            ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false),
            ("192.0.2.128/25", "192.0.2.128", true), ("192.0.2.128/25", "192.0.2.127", false),
            ("192.0.2.77/24", "192.0.2.1", true), ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
            ("0.0.0.0/0", "203.0.113.1", true), ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "2001:db8::1", true),
            ("::/0", "10.0.0.1", false), ("2001:db8::/33", "2001:db8:7fff::1", true),
            ("2001:db8::/33", "2001:db8:8000::1", false), ("::1/128", "::1", true), ("::1/127", "::", true),
        ]
    )
    func blocks(block: String, address: String, isInside: Bool) throws {
        let block = try #require(AddressBlock(block))
        #expect(block.contains(try #require(IPAddress(address))) == isInside)
    }

    @Test(
        "SEC-2, CLI-2: an invalid list of blocks is refused",
        arguments: [
            "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0/8", "10.0.0.0/8/8", "::1/129", "proxy.example.com",
            "10.0.0.1 10.0.0.2", "10.0.0.1,,x", "fe80::1%eth0",
        ]
    )
    func badBlocks(text: String) {
        #expect(TrustedProxies(text) == nil)
    }

    @Test("SEC-2: an IPv6 address counts as its network, an IPv4 one alone; loopback in each spelling")
    func networks() throws {
        let home = try #require(IPAddress("2001:db8:1:2:3:4:5:6"))
        #expect(home.network == IPAddress("2001:db8:1:2::"))
        #expect(home.network != (try #require(IPAddress("2001:db8:1:3::"))).network)
        #expect(IPAddress("203.0.113.5")?.network == IPAddress("203.0.113.5"))
        for text in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
            #expect(IPAddress(text)?.isLoopback == true, "\(text)")
        }
        for text in ["126.0.0.1", "128.0.0.1", "::2", "::", "2001:db8::1", "::ffff:10.0.0.1"] {
            #expect(IPAddress(text)?.isLoopback == false, "\(text)")
        }
        for text in ["", "localhost", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.4 ", ":::", "[::1]"] {
            #expect(IPAddress(text) == nil, "\(text)")
        }
    }
}
