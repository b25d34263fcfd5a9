import NIOCore
import Testing

@testable import BelfryDelivery

@Suite("Where connections may go")
struct LoopbackAddressTests {
    private static func settings(private isPrivate: Bool = false, loopback: Bool = false) -> DeliverySettings {
        var settings = DeliverySettings()
        settings.allowsPrivateAddresses = isPrivate
        settings.allowsLoopbackAddresses = loopback
        return settings
    }

    @Test(
        "SEC-5: loopback is recognised in each spelling",
        arguments: [
            ("127.0.0.1", true), ("127.255.255.254", true), ("::1", true), ("::ffff:127.0.0.1", true),
            ("128.0.0.1", false), ("10.0.0.1", false), ("::", false), ("::2", false), ("::127.0.0.1", false),
            ("::ffff:10.0.0.1", false), ("fe80::1", false), ("2606:4700::1", false),
        ]
    )
    func loopback(text: String, isLoopback: Bool) throws {
        #expect(try SocketAddress(ipAddress: text, port: 443).isLoopback == isLoopback)
    }

    @Test("SEC-5: connections to public addresses are always allowed, to others by the policy")
    func allowed() throws {
        let addresses = ["17.188.143.1", "127.0.0.1", "10.0.0.1", "169.254.169.254"]
        func allowed(_ settings: DeliverySettings) throws -> [Bool] {
            try addresses.map { settings.allows(try SocketAddress(ipAddress: $0, port: 443)) }
        }
        #expect(try allowed(Self.settings()) == [true, false, false, false])
        #expect(try allowed(Self.settings(loopback: true)) == [true, true, false, false])
        #expect(try allowed(Self.settings(private: true)) == [true, true, true, true])
    }

    @Test("SEC-5: a peer with an unknown address counts as private")
    func unknown() throws {
        let file = try SocketAddress(unixDomainSocketPath: "/run/push.sock")
        #expect(!Self.settings(loopback: true).allows(nil) && !Self.settings(loopback: true).allows(file))
        #expect(Self.settings(private: true).allows(nil) && Self.settings(private: true).allows(file))
    }
}
