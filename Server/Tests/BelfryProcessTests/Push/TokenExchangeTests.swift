import BelfryDelivery
import BelfryServerTestSupport
import BelfryServices
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import BelfryCommand
@testable import BelfryPush

@Suite("Calls to authorization servers", .timeLimit(.minutes(10)))
struct TokenExchangeTests {
    /// - Parameter timeout: where it is not what is tested it is so long that no busy machine meets it.
    private static func exchange(loopback: Bool = true, timeout: TimeAmount = .minutes(5)) -> HTTPTokenExchange {
        var settings = DeliverySettings()
        settings.allowsLoopbackAddresses = loopback
        var exchange = HTTPTokenExchange(group: MultiThreadedEventLoopGroup.singleton, settings: settings)
        exchange.timeout = timeout
        return exchange
    }

    private static func request(_ url: String) throws -> AccessTokenRequest {
        AccessTokenRequest(uri: try TokenURI(url), assertion: "head.body.signature")
    }

    /// Why there was no response; nil when there was one.
    private static func error(
        _ exchange: HTTPTokenExchange, _ url: String, trustRoots: [String]
    ) async throws -> AccessTokenExchangeError? {
        do {
            _ = try await exchange.post(try request(url), trustRoots: trustRoots)
            return nil
        } catch let error as AccessTokenExchangeError {
            return error
        }
    }

    @Test(
        "PUSH-2: the form is sent unchanged and the response returned with any status; no redirect is followed",
        arguments: ["localhost", "127.0.0.1"]
    )
    func form(host: String) async throws {
        let certificate = try TestCertificate.good()
        for status in [HTTPResponseStatus.ok, .badRequest, .found, .internalServerError] {
            let answer = FormServer.Response(
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

    @Test("SEC-5: loopback is called if allowed, then also without TLS; otherwise nothing is sent")
    func addresses() async throws {
        try await FormServer.run(certificate: nil, answer: FormServer.Response(body: "{}")) { server in
            for host in ["localhost", "127.0.0.1"] {
                let url = "http://\(host):\(server.port)/"
                let error = try await Self.error(Self.exchange(loopback: false), url, trustRoots: [])
                #expect(error == .privateAddress)
                #expect(server.received.isEmpty)
            }
            let allowed = try await Self.error(Self.exchange(), "http://127.0.0.1:\(server.port)/", trustRoots: [])
            #expect(allowed == nil)
            #expect(server.received.count == 1)
        }
        for url in ["https://10.0.0.1/", "https://169.254.169.254/", "https://[fd00::1]/"] {
            #expect(try await Self.error(Self.exchange(), url, trustRoots: []) == .privateAddress)
        }
        let nowhere = "https://nowhere.invalid/token"
        #expect(try await Self.error(Self.exchange(), nowhere, trustRoots: []) == .unknownHost)
    }

    @Test("PUSH-2: a server that is not trusted, or has another name, gets nothing")
    func trust() async throws {
        let certificate = try TestCertificate.good()
        let otherCertificate = try TestCertificate.good()
        try await FormServer.run(certificate: certificate, answer: FormServer.Response(body: "{}")) { server in
            let url = "https://localhost:\(server.port)/"
            #expect(try await Self.error(Self.exchange(), url, trustRoots: [otherCertificate.pem]) == .noConnection)
            #expect(try await Self.error(Self.exchange(), url, trustRoots: []) == .noConnection)
            let other = "https://other.localhost:\(server.port)/"
            let error = try await Self.error(Self.exchange(), other, trustRoots: [certificate.pem])
            // Not every system knows names below localhost.
            #expect(error == .noConnection || error == .unknownHost)
            #expect(try await Self.error(Self.exchange(), url, trustRoots: ["nonsense"]) == .unusableTrustRoots)
            #expect(server.received.isEmpty)
            #expect(try await Self.error(Self.exchange(), url, trustRoots: [certificate.pem]) == nil)
        }
    }

    @Test("SEC-2: a server that sends informational responses without end is given up; a few of them are none")
    func informational() async throws {
        let most = InformationalResponseLimit.maximum
        for (count, expected) in [(most, nil), (most + 1, .responseTooLong)] as [(Int, AccessTokenExchangeError?)] {
            let answer = FormServer.Response(body: "{}", informational: count)
            try await FormServer.run(certificate: nil, answer: answer) { server in
                let url = "http://127.0.0.1:\(server.port)/"
                let error = try await Self.error(Self.exchange(), url, trustRoots: [])
                #expect(error == expected, "\(count)")
            }
        }
    }

    @Test("SEC-2: a response without end, and a missing one, are given up")
    func bounds() async throws {
        let long = FormServer.Response(body: String(repeating: "x", count: HTTPTokenExchange.maximumResponseBytes + 1))
        try await FormServer.run(certificate: nil, answer: long) { server in
            let url = "http://127.0.0.1:\(server.port)/"
            let error = try await Self.error(Self.exchange(), url, trustRoots: [])
            #expect(error == .responseTooLong)
        }
        try await FormServer.run(certificate: nil, answer: nil) { server in
            let exchange = Self.exchange(timeout: .milliseconds(200))
            let url = "http://127.0.0.1:\(server.port)/"
            let error = try await Self.error(exchange, url, trustRoots: [])
            #expect(error == .timeout)
        }
        // Each byte comes in time, and the last one never. On a busy machine half a second may be over before the
        // request is there: then it gets longer, and that request may come late. No exchange asks twice.
        for body in ["", "{", String(repeating: " ", count: 1_000)] {
            let endless = FormServer.Response(body: body, dripsOn: true)
            try await FormServer.run(certificate: nil, answer: endless) { server in
                var exchanges = 0
                for timeout in [TimeAmount.milliseconds(500), .seconds(10), .seconds(60)] {
                    exchanges += 1
                    let exchange = Self.exchange(timeout: timeout)
                    let error = try await Self.error(exchange, "http://127.0.0.1:\(server.port)/", trustRoots: [])
                    #expect(error == .timeout)
                    if !server.received.isEmpty { break }
                }
                #expect(exchanges > 0 && (1...exchanges).contains(server.received.count))
            }
        }
    }
}
