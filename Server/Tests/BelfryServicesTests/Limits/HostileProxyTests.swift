import BelfryServerTestSupport
import BelfryServices
import BelfryTestSupport
import Testing

struct HostileProxyTests {
    @Test("SEC-7, SEC-2: the comma that a proxy adds separates two hops, whatever its caller's text ended with")
    func commas() throws {
        let proxies = try #require(TrustedProxies("10.0.0.0/8"))
        let peer = try #require(IPAddress("10.0.0.1"))
        for mark in HostileText.marks where !mark.utf8.contains(UInt8(ascii: ",")) {
            // The caller's own, and behind it what the proxy has seen.
            let header = "192.0.2.1" + mark + ", 198.51.100.7"
            #expect(
                proxies.caller(peer: peer, forwardedFor: header) == IPAddress("198.51.100.7"),
                "\(mark.debugDescription)")
        }
    }

    @Test("SEC-7, SEC-2: a hop's address ends at its bracket or its colon, whatever mark follows")
    func ports() throws {
        let proxies = try #require(TrustedProxies("10.0.0.0/8"))
        let peer = try #require(IPAddress("10.0.0.1"))
        for mark in HostileText.marks {
            let six = proxies.caller(peer: peer, forwardedFor: "[2001:db8::1]\(mark):4711")
            let four = proxies.caller(peer: peer, forwardedFor: "192.0.2.1:\(mark)4711")
            #expect(six == IPAddress("2001:db8::1"), "\(mark.debugDescription)")
            #expect(four == IPAddress("192.0.2.1"), "\(mark.debugDescription)")
        }
    }
}
