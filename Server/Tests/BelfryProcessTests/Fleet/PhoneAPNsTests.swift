import AsyncHTTPClient
import Belfry
import NIOHTTP1
import Testing

@testable import BelfryCommand

@Suite("A phone's APNs, simulated in another process", .timeLimit(.minutes(10)))
struct PhoneAPNsTests {
    @Test("CON-14: simulators that were started anew reject a former token already; other answers leave it as it is")
    func retired() async throws {
        for (status, isRetired) in [(404, true), (200, true), (500, false)] {
            let answer = FormServer.Response(status: HTTPResponseStatus(statusCode: status))
            try await FormServer.run(certificate: nil, answer: answer) { server in
                let caller = HTTPCaller.make()
                let control = SimulatorControl(
                    address: "http://127.0.0.1:\(server.port)", http: caller.client, environment: .live
                )
                let service = PhoneAPNs(control: control, topic: "com.example.shop")
                let outcome: Void? = try? await service.retire("abc")
                #expect((outcome != nil) == isRetired, "\(status)")
                #expect(server.received.map(\.head.uri) == ["/tokens/abc"], "\(status)")
                try await caller.client.shutdown()
            }
        }
    }
}
