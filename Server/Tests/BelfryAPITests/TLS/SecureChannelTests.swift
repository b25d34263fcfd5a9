import BelfryServerTestSupport
import NIOSSL
import Testing

@testable import BelfryAPI

@Suite("TLS in the server", .timeLimit(.minutes(15)))
struct SecureChannelTests {
    private static func isServed(_ connection: WireConnection) async throws -> Bool {
        try await connection.answer(to: .health)?.status == 200
    }

    @Test(
        "SEC-1: calls work inside TLS 1.2 and 1.3, many on one connection",
        arguments: [TLSVersion.tlsv12, .tlsv13]
    )
    func versions(version: TLSVersion) async throws {
        try await SecureStage.run { stage in
            let certificate = try TestCertificate.good()
            try stage.put(certificate)
            try await stage.serve(try stage.watch()) { port in
                let tls = try certificate.client {
                    $0.minimumTLSVersion = version
                    $0.maximumTLSVersion = version
                    $0.applicationProtocols = ["h2", "http/1.1"]
                }
                let connection = try await WireConnection.open(port: port, tls: tls)
                for _ in 0..<3 { #expect(try await Self.isServed(connection)) }
                // A client that has closed its side still gets the response.
                try await connection.send(WireRequest.health.bytes)
                try await connection.endSending()
                #expect(await connection.next()?.status == 200)
                await connection.close()
            }
        }
    }

    @Test("SEC-1: TLS 1.1, plain HTTP and a client without trust get nothing, and affect nobody")
    func rejected() async throws {
        try await SecureStage.run { stage in
            let certificate = try TestCertificate.good()
            try stage.put(certificate)
            try await stage.serve(try stage.watch()) { port in
                let old = try certificate.client {
                    $0.minimumTLSVersion = .tlsv1
                    $0.maximumTLSVersion = .tlsv11
                }
                let distrustful = try TestCertificate.good().client()
                for tls in [old, distrustful, nil] {
                    let connection = try await WireConnection.open(port: port, tls: tls)
                    // It may be closed before the request is on its way.
                    try? await connection.send(WireRequest.health.bytes)
                    #expect(await connection.next() == nil)
                }
                let connection = try await WireConnection.open(port: port, tls: try certificate.client())
                #expect(try await Self.isServed(connection))
                await connection.close()
            }
        }
    }

    @Test("SEC-1: a new pair is used for new connections, and open ones continue")
    func reload() async throws {
        try await SecureStage.run { stage in
            let (first, second) = (try TestCertificate.good(), try TestCertificate.good())
            try stage.put(first)
            let watch = try stage.watch()
            try await stage.serve(watch) { port in
                let open = try await WireConnection.open(port: port, tls: try first.client())
                #expect(try await Self.isServed(open))
                try stage.put(second)
                watch.look()
                #expect(try await Self.isServed(open))
                let late = try await WireConnection.open(port: port, tls: try first.client())
                try? await late.send(WireRequest.health.bytes)
                #expect(await late.next() == nil)
                let new = try await WireConnection.open(port: port, tls: try second.client())
                #expect(try await Self.isServed(new))
                for connection in [open, new] { await connection.close() }
            }
        }
    }

    @Test(
        "SEC-2: a handshake that never ends is ended by the limit of silence, however little of it came",
        arguments: [[], [0x16], [0x16, 0x03, 0x01, 0x00, 0xc8, 0x01]] as [[UInt8]]
    )
    func handshake(bytes: [UInt8]) async throws {
        try await SecureStage.run { stage in
            try stage.put(try TestCertificate.good())
            try await stage.serve(try stage.watch(), idleTimeout: .milliseconds(200)) { port in
                let connection = try await WireConnection.open(port: port)
                // On a slow machine the time may be over before.
                if !bytes.isEmpty { try? await connection.send(bytes) }
                #expect(await connection.next() == nil)
            }
        }
    }

    @Test("SEC-2: a silent connection inside TLS is ended as well, and so is an incomplete head")
    func silence() async throws {
        try await SecureStage.run { stage in
            let certificate = try TestCertificate.good()
            try stage.put(certificate)
            // Long enough for the handshake on a busy machine.
            try await stage.serve(try stage.watch(), idleTimeout: .seconds(5)) { port in
                for text in ["", "GET /healthz HT"] {
                    let connection = try await WireConnection.open(port: port, tls: try certificate.client())
                    if !text.isEmpty { try? await connection.send(Array(text.utf8)) }
                    #expect(await connection.next() == nil)
                }
            }
        }
    }
}
