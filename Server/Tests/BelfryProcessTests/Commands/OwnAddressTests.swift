import Testing

@testable import BelfryCommand

@Suite("Where belfry doctor looks for the server of its settings")
struct OwnAddressTests {
    private static func addresses(
        _ host: String, publicURL: String? = nil, tls: Bool = false
    ) async throws -> [OwnAddress] {
        let configuration = try await ServeConfiguration.read(
            flags: .init(
                host: host, port: 18_643, tlsCertificate: tls ? "server.crt" : nil, tlsKey: tls ? "server.key" : nil,
                publicURL: publicURL
            ),
            environment: [:], file: nil
        )
        return OwnAddress.all(of: configuration)
    }

    @Test("CLI-6: without TLS the server is called where it listens, and on this machine if it listens everywhere")
    func plain() async throws {
        let places = [
            ("127.0.0.1", "127.0.0.1"), ("192.0.2.7", "192.0.2.7"), ("localhost", "localhost"), ("::1", "[::1]"),
            ("0.0.0.0", "127.0.0.1"), ("::", "[::1]"),
        ]
        for (host, called) in places {
            let addresses = try await Self.addresses(host, publicURL: "https://belfry.example.com")
            #expect(addresses.map(\.text) == ["http://\(called):18643"])
            #expect(addresses.allSatisfy { $0.names.isEmpty })
        }
    }

    @Test("CLI-6, SEC-1: with TLS the server is called by its public name first, and always where it listens")
    func named() async throws {
        let addresses = try await Self.addresses("0.0.0.0", publicURL: "https://belfry.example.com:8443/", tls: true)
        #expect(addresses.map(\.text) == ["https://belfry.example.com:18643", "https://127.0.0.1:18643"])
        #expect(addresses.map(\.names) == [["belfry.example.com": "127.0.0.1"], [:]])
    }

    @Test("CLI-6, SEC-1: a public address without a name of its own adds nothing that would have to be resolved")
    func unnamed() async throws {
        let nameless = try await Self.addresses("::1", tls: true)
        #expect(nameless.map(\.text) == ["https://[::1]:18643"])
        let same = try await Self.addresses("localhost", publicURL: "https://localhost:18643", tls: true)
        #expect(same.map(\.text) == ["https://localhost:18643"])
        let numbered = try await Self.addresses("127.0.0.1", publicURL: "https://192.0.2.7", tls: true)
        #expect(numbered.map(\.text) == ["https://192.0.2.7:18643", "https://127.0.0.1:18643"])
        #expect(numbered.allSatisfy { $0.names.isEmpty })
    }
}
