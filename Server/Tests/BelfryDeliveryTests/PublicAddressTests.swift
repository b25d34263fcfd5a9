import NIOCore
import Testing

@testable import BelfryDelivery

@Suite("Which addresses are public")
struct PublicAddressTests {
    @Test(
        "SEC-5: an address that is not public is recognised",
        arguments: [
            "0.0.0.0", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.8.8.8",
            "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.168.1.1", "198.18.0.1",
            "198.19.255.255", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "203.0.113.1",
            "::", "::1", "fe80::1", "fc00::1", "fd12:3456::1", "ff02::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1",
            "64:ff9b::10.0.0.1", "64:ff9b:1::1", "2002:a00:1::", "2001::1", "2001:db8::1", "3fff::1",
        ]
    )
    func notPublic(_ text: String) throws {
        #expect(try !SocketAddress(ipAddress: text, port: 443).isPublic)
    }

    @Test(
        "SEC-5: a public address is recognised",
        arguments: [
            "1.1.1.1", "9.255.255.255", "11.0.0.1", "17.188.143.1", "100.63.255.255", "100.128.0.1", "172.15.255.255",
            "172.32.0.1", "192.0.1.1", "192.169.0.1", "198.17.0.1", "198.20.0.1", "223.255.255.255",
            "2606:4700::1", "2620:149:208:4306::9", "2001:4860:4860::8888", "::ffff:17.188.143.1",
            "64:ff9b::17.188.143.1",
        ]
    )
    func isPublic(_ text: String) throws {
        #expect(try SocketAddress(ipAddress: text, port: 443).isPublic)
    }

    @Test("SEC-5: a file of this machine is not public")
    func unixDomainSocket() throws {
        #expect(try !SocketAddress(unixDomainSocketPath: "/run/push.sock").isPublic)
    }
}
