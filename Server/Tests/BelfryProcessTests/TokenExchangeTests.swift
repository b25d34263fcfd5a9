import BelfryDelivery
import BelfryServerTestSupport
import BelfryServices
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import BelfryCommand
@testable import BelfryPush

@Suite("The way to authorization servers", .timeLimit(.minutes(10)))
struct TokenExchangeTests {
    private static func exchange(
        loopback: Bool = true, timeout: TimeAmount = HTTPTokenExchange.timeout
    ) -> HTTPTokenExchange {
        var settings = DeliverySettings()
        settings.allowsLoopbackAddresses = loopback
        var exchange = HTTPTokenExchange(group: MultiThreadedEventLoopGroup.singleton, settings: settings)
        exchange.timeout = timeout
        return exchange
    }

    private static func request(_ url: String) throws -> AccessTokenRequest {
        AccessTokenRequest(uri: try TokenURI(url), assertion: "head.body.signature")
    }

    /// Why no answer came; nil when one did.
    private static func fault(
        _ exchange: HTTPTokenExchange, _ url: String, trustRoots: [String]
    ) async throws -> AccessTokenExchangeFault? {
        do {
            _ = try await exchange.post(try request(url), trustRoots: trustRoots)
            return nil
        } catch let fault as AccessTokenExchangeFault {
            return fault
        }
    }

    @Test(
        "PUSH-2: the form arrives as it is and the answer comes back, whatever its status; a redirect is not followed",
        arguments: ["localhost", "127.0.0.1"]
    )
    func form(host: String) async throws {
        let certificate = try TestCertificate.good()
        for status in [HTTPResponseStatus.ok, .badRequest, .found, .internalServerError] {
            let answer = FormServer.Answer(
                status: status, headers: ["Location": "https://\(host)/elsewhere"], body: #"{"access_token":"t"}"#
            )
            try await FormServer.run(certificate: certificate, answer: answer) { server in
                let request = try Self.request("https://\(host):\(server.port)/token?a=1")
                let (code, body) = try await Self.exchange().post(request, trustRoots: [certificate.pem])
                #expect(code == Int(status.code))
                #expect(String(decoding: body, as: UTF8.self) == answer.body)
                let form = try #require(server.received.first)
                #expect(server.received.count == 1)
                #expect(form.head.method == .POST && form.head.uri == "/token?a=1")
                #expect(form.head.headers["content-type"] == ["application/x-www-form-urlencoded"])
                #expect(form.head.headers["host"] == ["\(host):\(server.port)"])
                #expect(form.body == String(decoding: request.body, as: UTF8.self))
            }
        }
    }

    @Test("SEC-5: this machine is spoken to when that is allowed, then also without TLS; else nothing is sent")
    func addresses() async throws {
        try await FormServer.run(certificate: nil, answer: FormServer.Answer(body: "{}")) { server in
            for host in ["localhost", "127.0.0.1"] {
                let url = "http://\(host):\(server.port)/"
                let fault = try await Self.fault(Self.exchange(loopback: false), url, trustRoots: [])
                #expect(fault == .privateAddress)
                #expect(server.received.isEmpty)
            }
            let allowed = try await Self.fault(Self.exchange(), "http://127.0.0.1:\(server.port)/", trustRoots: [])
            #expect(allowed == nil)
            #expect(server.received.count == 1)
        }
        for url in ["https://10.0.0.1/", "https://169.254.169.254/", "https://[fd00::1]/"] {
            #expect(try await Self.fault(Self.exchange(), url, trustRoots: []) == .privateAddress)
        }
        let nowhere = "https://nowhere.invalid/token"
        #expect(try await Self.fault(Self.exchange(), nowhere, trustRoots: []) == .unknownHost)
    }

    @Test("PUSH-2: a server that is not trusted, or is another's by its name, gets nothing")
    func trust() async throws {
        let certificate = try TestCertificate.good()
        let stranger = try TestCertificate.good()
        try await FormServer.run(certificate: certificate, answer: FormServer.Answer(body: "{}")) { server in
            let url = "https://localhost:\(server.port)/"
            #expect(try await Self.fault(Self.exchange(), url, trustRoots: [stranger.pem]) == .noConnection)
            #expect(try await Self.fault(Self.exchange(), url, trustRoots: []) == .noConnection)
            let other = "https://other.localhost:\(server.port)/"
            let fault = try await Self.fault(Self.exchange(), other, trustRoots: [certificate.pem])
            // Not every system knows names below localhost.
            #expect(fault == .noConnection || fault == .unknownHost)
            #expect(try await Self.fault(Self.exchange(), url, trustRoots: ["nonsense"]) == .unusableTrustRoots)
            #expect(server.received.isEmpty)
            #expect(try await Self.fault(Self.exchange(), url, trustRoots: [certificate.pem]) == nil)
        }
    }

    @Test("SEC-2: an answer without end, and one that never comes, are given up")
    func bounds() async throws {
        let long = FormServer.Answer(body: String(repeating: "x", count: HTTPTokenExchange.maximumAnswerBytes + 1))
        try await FormServer.run(certificate: nil, answer: long) { server in
            let url = "http://127.0.0.1:\(server.port)/"
            let fault = try await Self.fault(Self.exchange(), url, trustRoots: [])
            #expect(fault == .answerTooLong)
        }
        try await FormServer.run(certificate: nil, answer: nil) { server in
            let exchange = Self.exchange(timeout: .milliseconds(200))
            let url = "http://127.0.0.1:\(server.port)/"
            let fault = try await Self.fault(exchange, url, trustRoots: [])
            #expect(fault == .timeout)
        }
    }
}
