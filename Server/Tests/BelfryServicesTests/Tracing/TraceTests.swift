import BelfryModel
import BelfryPush
import Foundation
import ServiceLifecycle
import Synchronization
import Testing

@testable import BelfryServices

@Suite("Traces of ledger rows")
struct TraceTests {
    /// A collector that keeps what it gets, and may be gone.
    private final class Collector: TraceTransport {
        struct Gone: Error {}

        private let state = Mutex<(spans: [TraceSpan], error: (any Error)?)>(([], nil))

        var spans: [TraceSpan] { state.withLock { $0.spans } }
        func fail(by error: (any Error)?) { state.withLock { $0.error = error } }

        func send(_ spans: [TraceSpan]) async throws {
            try state.withLock { state in
                if let error = state.error { throw error }
                state.spans += spans
            }
        }

        func close() async {}
    }

    private func pipeline(_ world: ServiceWorld, _ log: TraceLog) -> PushPipeline {
        PushPipeline(
            database: world.database, environment: world.environment, attempts: world.makeAttempts(),
            accounts: world.accounts, transport: world.transport, keys: world.keys, metrics: world.metrics, traces: log,
            logger: world.logger
        )
    }

    private func dispatcher(_ world: ServiceWorld, _ log: TraceLog) -> CampaignDispatcher {
        CampaignDispatcher(owner: "traced", pipeline: pipeline(world, log), work: AsyncSignal())
    }

    @Test("FLEET-11: a row's trace has each attempt and its end, under the id of its push")
    func life() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        world.transport.answer("token1", .serverError, .accepted)
        let log = TraceLog(metrics: world.metrics)
        let launch = world.clock.now
        let id = try await world.launch()
        let dispatcher = dispatcher(world, log)
        await dispatcher.runUntilIdle()
        // Until the retry is due.
        world.clock.advance(by: 10)
        await dispatcher.runUntilIdle()
        let spans = log.take(100)
        let first = try MessageID.make(campaign: id, device: ServiceWorld.client(1))
        let mine = spans.filter { $0.trace == first.uuid }
        #expect(mine.map(\.number).sorted() == [0, 1, 2] && spans.count == 5)
        #expect(Set(mine.map(\.traceID)) == [first.text.lowercased().filter { $0 != "-" }])
        #expect(Set(spans.map { "\($0.traceID) \($0.spanID)" }).count == 5)
        let root = try #require(mine.first { $0.number == 0 })
        #expect(root.parentID == nil && root.spanID.count == 16 && root.error == nil)
        #expect(root.begin == launch && root.end == world.clock.now)
        #expect(
            root.attributes["belfry.state"] == .text("accepted") && root.attributes["belfry.attempts"] == .number(2))
        #expect(root.attributes["belfry.campaign"] == .text("\(id)"))
        for attempt in mine where attempt.number > 0 {
            #expect(attempt.parentID == root.spanID && attempt.name == "push apns")
            #expect((attempt.error == nil) == (attempt.number == 2))
        }
        // Who and why, and nothing of what was said or where it went.
        let exported = spans.flatMap { $0.attributes.values }.map { "\($0)" }.joined()
        #expect(!exported.contains("token1") && !exported.contains(ServiceWorld.content.title))
    }

    @Test("FLEET-11: a silent push has a trace under its own id, with each attempt and its end")
    func silentPush() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        world.transport.answer("token1", .serverError, .accepted)
        let log = TraceLog(metrics: world.metrics)
        let sender = SilentPushSender(owner: "traced", pipeline: pipeline(world, log), work: AsyncSignal())
        let begin = world.clock.now
        _ = try await world.publish()
        try await world.wakeDevices(until: begin.addingTimeInterval(60), by: sender)
        let spans = log.take(100).sorted { $0.number < $1.number }
        #expect(spans.map(\.number) == [0, 1, 2])
        #expect(spans.map(\.name) == ["silent push", "push apns", "push apns"])
        let id = try #require(world.transport.requests.first?.apnsID)
        #expect(Set(spans.map(\.traceID)) == [id.lowercased().filter { $0 != "-" }])
        #expect(spans.map(\.error) == [nil, "again", nil])
        let root = try #require(spans.first)
        #expect(root.begin == begin && root.end > begin && root.attributes["belfry.state"] == .text("accepted"))
        let client = try ServiceWorld.client(1)
        #expect(root.attributes["belfry.device"] == .text(client.rawValue))
        #expect(!spans.flatMap { $0.attributes.values }.contains { "\($0)".contains("token1") })
    }

    @Test("FLEET-11: a collector that is gone holds nobody up, and gets later what found room")
    func gone() async throws {
        let world = try await ServiceWorld()
        defer { withExtendedLifetime(world) {} }
        let log = TraceLog(metrics: world.metrics)
        let collector = Collector()
        let exporter = TraceExporter(
            log: log, transport: collector, environment: world.environment, logger: world.logger)
        func span(_ number: Int) -> TraceSpan {
            TraceSpan(
                number: number, trace: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0)), name: "push",
                begin: world.clock.now, end: world.clock.now, attributes: [:], error: nil)
        }
        collector.fail(by: Collector.Gone())
        log.add((0..<10).map(span))
        #expect(await exporter.export() == false)
        #expect(collector.spans.isEmpty)
        log.add((10..<TraceLog.maximumHeld + 7).map(span))
        #expect(world.metrics.values["belfry_trace_spans_dropped_total"] == 7)
        collector.fail(by: nil)
        #expect(await exporter.export())
        #expect(collector.spans.count == TraceLog.maximumHeld)
        #expect(Set(collector.spans.map(\.spanID)).count == TraceLog.maximumHeld)
    }

    @Test("FLEET-11: spans that a collector refuses for good are counted as lost, and are in nobody's way")
    func rejected() async throws {
        let world = try await ServiceWorld()
        defer { withExtendedLifetime(world) {} }
        let log = TraceLog(metrics: world.metrics)
        let collector = Collector()
        let exporter = TraceExporter(
            log: log, transport: collector, environment: world.environment, logger: world.logger)
        func span(_ number: Int) -> TraceSpan {
            TraceSpan(
                number: number, trace: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0)), name: "push",
                begin: world.clock.now, end: world.clock.now, attributes: [:], error: nil)
        }
        collector.fail(by: TracesRejected(status: 404))
        log.add((0..<TraceExporter.batch + 3).map(span))
        #expect(await exporter.export() == false)
        #expect(world.metrics.values["belfry_trace_spans_dropped_total"] == TraceExporter.batch)
        collector.fail(by: nil)
        #expect(await exporter.export())
        #expect(collector.spans.map(\.number) == Array(TraceExporter.batch..<TraceExporter.batch + 3))
    }
}
