import BelfryDelivery
import BelfryPush
import BelfryServices
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import BelfryCommand

@Suite("Calls to the identity provider of the console", .timeLimit(.minutes(10)))
struct ProviderTransportTests {
    /// Where the time-out is not what is tested it is so long that no busy machine meets it.
    private static let patience = TimeAmount.minutes(5)

    private static func transport(timeout: TimeAmount = patience) -> HTTPProviderTransport {
        HTTPProviderTransport(group: MultiThreadedEventLoopGroup.singleton, timeout: timeout)
    }

    @Test("CON-3: a document is read by GET and a code is posted as a form; no redirect is followed")
    func calls() async throws {
        let answer = FormServer.Response(status: .found, headers: ["Location": "/elsewhere"], body: "{}")
        try await FormServer.run(certificate: nil, answer: answer) { server in
            let address = try TokenURI("http://127.0.0.1:\(server.port)/realm/x?a=1")
            let read = try await Self.transport().send(ProviderRequest(reading: address))
            #expect(read.status == 302 && read.body == Array("{}".utf8))
            let form = ProviderRequest(address: address, form: Array("code=1".utf8), authorization: "Basic YTpi")
            #expect(try await Self.transport().send(form).status == 302)
            let received = server.received
            try #require(received.count == 2)
            #expect(received[0].head.method == .GET && received[0].head.uri == "/realm/x?a=1")
            #expect(received[0].head.headers["authorization"].isEmpty && received[0].body.isEmpty)
            #expect(received[1].head.method == .POST && received[1].body == "code=1")
            #expect(received[1].head.headers["authorization"] == ["Basic YTpi"])
            #expect(received[1].head.headers["content-type"] == ["application/x-www-form-urlencoded"])
        }
    }

    @Test("CON-3: a provider that says nothing, or never stops, is given up; one without TLS is on this machine only")
    func abandoned() async throws {
        let tooMuch = String(repeating: " ", count: HTTPProviderTransport.maximumResponseBytes + 1)
        let tries: [(FormServer.Response?, TimeAmount, AccessTokenExchangeError)] = [
            (nil, .milliseconds(200), .timeout),
            (FormServer.Response(body: "{", dripsOn: true), .seconds(2), .timeout),
            (FormServer.Response(body: tooMuch), Self.patience, .responseTooLong),
        ]
        for (answer, timeout, expected) in tries {
            try await FormServer.run(certificate: nil, answer: answer) { server in
                let address = try TokenURI("http://localhost:\(server.port)/")
                await #expect(throws: expected) {
                    try await Self.transport(timeout: timeout).send(ProviderRequest(reading: address))
                }
            }
        }
        #expect(throws: (any Error).self) { try TokenURI("http://id.example.com/") }
    }
}
