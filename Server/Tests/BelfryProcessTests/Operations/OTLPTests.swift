import BelfryAPI
import BelfryModel
import Foundation
import NIOHTTP1
import NIOPosix
import Testing

@testable import BelfryCommand
@testable import BelfryServices

@Suite("Traces on their way to a collector")
struct OTLPTests {
    /// What a collector reads of a call (OTLP/JSON).
    private struct Export: Decodable {
        struct ResourceSpans: Decodable { let resource: Resource, scopeSpans: [ScopeSpans] }
        struct Resource: Decodable { let attributes: [Attribute] }
        struct ScopeSpans: Decodable { let spans: [Span] }
        struct Attribute: Decodable {
            struct Value: Decodable { let stringValue: String?, intValue: String? }
            let key: String, value: Value
        }
        struct Status: Decodable { let code: Int, message: String? }
        struct Span: Decodable {
            let traceId: String, spanId: String, parentSpanId: String?, name: String, kind: Int
            let startTimeUnixNano: String, endTimeUnixNano: String, attributes: [Attribute], status: Status
        }

        let resourceSpans: [ResourceSpans]
        var spans: [Span] { resourceSpans.flatMap(\.scopeSpans).flatMap(\.spans) }
    }

    @Test("FLEET-11: a span is written as OTLP's JSON has it, whatever its texts hold")
    func body() throws {
        let trace = try #require(UUID(uuidString: "00000000-0001-8A0B-8C0D-0E0F00000001"))
        let begin = Date(timeIntervalSince1970: 1_800_000_000.25)
        let odd = "\"\\\n\u{1}é"
        let spans = [
            TraceSpan(
                number: 3, trace: trace, name: odd, begin: begin, end: begin.addingTimeInterval(1.5),
                attributes: ["belfry.note": .text(odd), "belfry.attempts": .number(3)], error: odd),
            TraceSpan(
                number: 0, trace: trace, name: "delivery", begin: begin, end: begin, attributes: [:], error: nil),
        ]
        let export = try JSONDecoder().decode(Export.self, from: Data(OTLPTransport.body(spans, version: "1.2.3")))
        let (attempt, row) = (try #require(export.spans.first), try #require(export.spans.last))
        #expect(export.resourceSpans.first?.resource.attributes.map(\.value.stringValue) == ["belfry", "1.2.3"])
        #expect(attempt.traceId == "0000000000018a0b8c0d0e0f00000001" && row.traceId == attempt.traceId)
        #expect(row.spanId == "8c0d0e0f00000001" && row.parentSpanId == nil && attempt.parentSpanId == row.spanId)
        #expect(attempt.spanId == "8c0d0e0f00000002" && attempt.name == odd)
        #expect(attempt.startTimeUnixNano == "1800000000250000000" && attempt.endTimeUnixNano == "1800000001750000000")
        #expect(attempt.attributes.map(\.key) == ["belfry.attempts", "belfry.note"])
        #expect(attempt.attributes.first?.value.intValue == "3" && attempt.attributes.last?.value.stringValue == odd)
        #expect(attempt.status.code == 2 && attempt.status.message == odd && row.status.code == 1)
        #expect(attempt.kind == 3 && row.kind == 1)
    }

    @Test("FLEET-11: what a collector answers decides whether its spans are taken, sent again or lost")
    func answers() async throws {
        for status in [HTTPResponseStatus.ok, .accepted, .tooManyRequests, .serviceUnavailable, .notFound, .found] {
            let answer = FormServer.Response(status: status, body: "{}")
            let outcome = try await FormServer.run(certificate: nil, answer: answer) { collector in
                let transport = OTLPTransport(
                    origin: "http://127.0.0.1:\(collector.port)", version: "1.2.3",
                    group: MultiThreadedEventLoopGroup.singleton
                )
                let outcome: String
                do {
                    try await transport.send([])
                    outcome = "taken"
                } catch let rejection as TracesRejected {
                    outcome = "lost: \(rejection.status)"
                } catch {
                    outcome = "again"
                }
                await transport.close()
                return outcome
            }
            switch status.code {
            case 200..<300: #expect(outcome == "taken")
            case 429, 503: #expect(outcome == "again")
            default: #expect(outcome == "lost: \(status.code)")
            }
        }
    }

    @Test("FLEET-11: a server that is given a collector tells it of each delivery", .timeLimit(.minutes(10)))
    func server() async throws {
        try await withStage { stage in
            try await stage.withPushServices { services in
                try await FormServer.run(certificate: nil, answer: .init(body: "{}")) { collector in
                    let options = [
                        "--rate-limit", "off", "--allow-private-endpoints", "--otlp-endpoint",
                        "http://127.0.0.1:\(collector.port)",
                    ]
                    try await stage.withServer(options: options) { server in
                        try await deliver(by: server, services, collector, stage)
                    }
                }
            }
        }
    }

    private func deliver(
        by server: ServerProcess, _ services: PushServicesProcess, _ collector: FormServer, _ stage: Stage
    ) async throws {
        let admin = stage.admin(server)
        try await admin.createApp()
        let key = try await services.putCredentials(admin)
        let place = try await services.register(.apns, applicationServerKey: key)
        let device = DeviceCaller(server: server, http: stage.http)
        try await device.linkAnonymously()
        try await device.putPushToken(place.token, environment: .production)
        let campaign = try await admin.createCampaign("Hello")
        try await admin.change(campaign, "launch")
        let spans = try await eventually("the collector has the delivery") {
            try collector.received.flatMap { form in
                try JSONDecoder().decode(Export.self, from: Data(form.body.utf8)).spans
            }
        } until: {
            $0.contains { $0.parentSpanId == nil }
        }
        #expect(collector.received.first?.head.uri == "/v1/traces")
        #expect(Set(spans.map(\.name)) == ["push apns", "delivery"] && Set(spans.map(\.traceId)).count == 1)
        let row = try #require(spans.first { $0.parentSpanId == nil })
        let texts = Dictionary(
            row.attributes.map { ($0.key, $0.value.stringValue ?? "") }, uniquingKeysWith: { first, _ in first })
        #expect(texts["belfry.device"]?.lowercased() == device.id.lowercased())
        #expect(texts["belfry.campaign"] == campaign && texts["belfry.state"] == "accepted")
        #expect(!collector.received.contains { $0.body.contains(place.token) })
    }
}
