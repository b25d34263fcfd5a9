import BelfryDelivery
import BelfryPush
import BelfryServerTestSupport
import NIOCore
import NIOPosix
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ConnectionErrorTests {
    /// The result of a request to a peer with this certificate and these trust roots.
    private func send(
        certificate: TestCertificate,
        trust: DeliveryTrust,
        protocols: [String] = ["h2"]
    ) async throws -> PushResult? {
        let peer = try await ScriptedPeer.start(certificate: certificate, protocols: protocols) { request in
            [request.answer()]
        }
        let pool = try makePool(port: peer.port, trust: trust)
        let result = await pool.send([PushRequest.numbered(0)]).first
        await pool.shutdown()
        await peer.stop()
        return result
    }

    @Test("PUSH-4: a server whose certificate is not trusted gets nothing, and the reason says so")
    func untrusted() async throws {
        let trust = DeliveryTrust.roots([try TestCertificate.good().pem])
        let result = try await send(certificate: try TestCertificate.good(), trust: trust)
        #expect(result?.notProcessed == "the server's certificate is not trusted")
    }

    @Test("PUSH-4: a server whose certificate is for another name gets nothing, and the reason says so")
    func wrongName() async throws {
        let certificate = try TestCertificate.good(for: "elsewhere.test")
        let result = try await send(certificate: certificate, trust: .roots([certificate.pem]))
        #expect(result?.notProcessed == "the server's certificate is for another name")
    }

    @Test("PUSH-4: only the option to trust everybody does so")
    func insecure() async throws {
        let certificate = try TestCertificate.good(for: "elsewhere.test")
        #expect(try await send(certificate: certificate, trust: .insecure)?.response?.status == 200)
        let system = try await send(certificate: certificate, trust: .system)
        #expect(system?.notProcessed == "the server's certificate is not trusted")
    }

    @Test("WEB-8, PUSH-4: an app's own trust roots may count beside the machine's; any other certificate never does")
    func besideTheMachine() async throws {
        let certificate = try TestCertificate.good()
        let own = try await send(certificate: certificate, trust: .systemAnd([certificate.pem]))
        #expect(own?.response?.status == 200)
        let untrusted = try await send(certificate: certificate, trust: .systemAnd([try TestCertificate.good().pem]))
        #expect(untrusted?.notProcessed == "the server's certificate is not trusted")
    }

    @Test("PUSH-4: a server that does not offer HTTP/2 gets nothing, and the reason says so")
    func withoutHTTP2() async throws {
        let certificate = try TestCertificate.good()
        let result = try await send(certificate: certificate, trust: .roots([certificate.pem]), protocols: [])
        #expect(result?.notProcessed == "the server does not offer HTTP/2")
    }

    @Test("SEC-5: a private address gets nothing unless it is allowed, and the reason says so")
    func privateAddress() async throws {
        let certificate = try TestCertificate.good()
        let peer = try await ScriptedPeer.start(certificate: certificate) { request in [request.answer()] }
        var settings = DeliverySettings.quick
        settings.allowsPrivateAddresses = DeliverySettings().allowsPrivateAddresses
        let pool = try makePool(port: peer.port, trust: .roots([certificate.pem]), settings: settings)
        let result = await pool.send([PushRequest.numbered(0)]).first
        await pool.shutdown()
        await peer.stop()
        #expect(result?.notProcessed == "the endpoint is on a private address")
    }

    @Test("PUSH-4: an invalid trust root is reported")
    func unreadableRoot() async throws {
        let pem = try TestCertificate.good().pem
        do {
            let pool = try makePool(port: 1, trust: .roots([pem, "nonsense"]))
            await pool.shutdown()
            Issue.record("the pool took nonsense for a certificate")
        } catch DeliveryTrustError.unreadableRoot(let index) {
            #expect(index == 1)
        }
    }

    @Test("PUSH-4: a host without a listener returns requests, and is tried again for the next")
    func nobodyListens() async throws {
        // Below the ports of users' programs: no other test can be given it meanwhile.
        let pool = try makePool(port: 9, trust: .insecure)
        for number in 0..<3 {
            let result = await pool.send([PushRequest.numbered(number)]).first
            #expect(result?.notProcessed == "no connection: the host is unknown, unreachable or refuses connections")
        }
        await pool.shutdown()
    }
}
