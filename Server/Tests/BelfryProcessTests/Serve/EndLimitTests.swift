import BelfryAPI
import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import BelfryWire
import Foundation
import InMemoryLogging
import Logging
import Synchronization
import Testing

@testable import BelfryCommand

@Suite("The server is stopped, and something hangs", .timeLimit(.minutes(10)))
struct EndLimitTests {
    private struct Hanging: Error {}

    /// A log that nobody reads: what happens in the meantime happens while the line is being written.
    private struct UnreadLog: LogHandler {
        var logLevel = Logger.Level.info
        var metadata: Logger.Metadata = [:]
        let meanwhile: @Sendable () -> Void

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { meanwhile() }
    }

    private static func limit(
        _ parts: RunningParts, _ limit: Duration, _ log: InMemoryLogHandler, _ ended: Latch<[String]>
    ) -> EndLimit {
        EndLimit(parts, limit: limit, logger: Logger(label: "tests") { _ in log }) { ended.set(parts.names) }
    }

    @Test("CLI-2: at the limit the process ends, and a line in the log names what still ran")
    func hangs() async throws {
        let parts = RunningParts()
        let log = InMemoryLogHandler()
        let ended = Latch<[String]>()
        let limit = Self.limit(parts, .milliseconds(10), log, ended)
        #expect(!limit.hasBegun)
        await parts.during("over") {}
        await parts.during("requests") {
            await parts.during("Senders") {
                limit.begin()
                limit.begin()
                #expect(await ended.value == ["requests", "Senders"])
            }
        }
        limit.finish()
        let entry = try #require(log.entries.first)
        #expect(entry.level == .critical && entry.metadata["stillRunning"] == "requests, Senders")
    }

    @Test("CLI-2: a service is named by its type, and a gauge by its question as well")
    func names() {
        let (environment, logger) = (ServerEnvironment.live, Logger(label: "tests") { _ in InMemoryLogHandler() })
        let mark = DamageMark(in: URL(filePath: "/nowhere"), now: environment.now, logger: logger)
        let questions: [GaugeQuestion] = [
            .damage(mark), .connections(pools: { [] }, questions: { QuestionLaneUse(underWay: 0, waiting: 0) }),
        ]
        let parts = RunningParts()
        let gauges = questions.map { question in
            RegularGauge(question, environment: environment, metrics: Metrics(), logger: logger)
        }
        let names = gauges.map { gauge in NamedService(gauge, parts: parts).name }
        #expect(names == ["RegularGauge(damage)", "RegularGauge(connections)"])
        #expect(NamedService(EndLimit(parts, logger: logger), parts: parts).name == "EndLimit")
    }

    @Test("CLI-2: work that has ended in time is not ended again")
    func inTime() async throws {
        let parts = RunningParts()
        let log = InMemoryLogHandler()
        let (early, late) = (Latch<[String]>(), Latch<[String]>())
        // So long that it is not over before the test is, however busy the machine.
        let limit = Self.limit(parts, .seconds(540), log, early)
        limit.begin()
        limit.finish()
        // One that is not finished is over.
        let other = Self.limit(parts, .milliseconds(10), InMemoryLogHandler(), late)
        other.begin()
        _ = await late.value
        #expect(early.current == nil && log.entries.isEmpty)
        other.finish()
    }

    @Test(
        "CLI-2: a machine that stood still when the end was due writes the line before it ends the process",
        arguments: [EndTimers.Lane.last, .line]
    )
    func stoodStill(first: EndTimers.Lane) {
        let timers = ScriptedTimers()
        let log = InMemoryLogHandler()
        let ended = Latch<Int>()
        let limit = EndLimit(
            RunningParts(), logger: Logger(label: "tests") { _ in log }, timers: timers.timers
        ) { ended.set(log.entries.count) }
        limit.begin()
        timers.pass(.seconds(60))
        timers.run(first)
        timers.run(first == .last ? .line : .last)
        #expect(ended.current == 1)
    }

    /// - Returns: a limit by these timers, and when it has ended the process.
    private static func limit(
        by timers: ScriptedTimers, _ log: some LogHandler, _ ended: Latch<Duration> = Latch()
    ) -> (limit: EndLimit, ended: Latch<Duration>) {
        let logger = Logger(label: "tests") { _ in log }
        let limit = EndLimit(RunningParts(), logger: logger, timers: timers.timers) { ended.set(timers.now) }
        return (limit, ended)
    }

    @Test("CLI-2: a line that nobody reads has its time from when it is begun, and then the process ends")
    func unread() {
        let timers = ScriptedTimers()
        let ended = Latch<Duration>()
        let log = UnreadLog(meanwhile: {
            timers.pass(EndLimit.patience - .milliseconds(1))
            timers.run(.last)
            #expect(ended.current == nil)
            timers.pass(.milliseconds(1))
            timers.run(.last)
            #expect(ended.current != nil)
        })
        let (limit, _) = Self.limit(by: timers, log, ended)
        limit.begin()
        timers.pass(EndLimit.standard)
        timers.run(.last)
        // Both were due together, and this one is late: it has its time all the same.
        timers.pass(.milliseconds(300))
        timers.run(.line)
        #expect(ended.current == EndLimit.standard + .milliseconds(300) + EndLimit.patience)
    }

    @Test("CLI-2: within 20 seconds the process ends also when the line cannot even be begun")
    func noLine() {
        let timers = ScriptedTimers()
        let log = InMemoryLogHandler()
        let (limit, ended) = Self.limit(by: timers, log)
        limit.begin()
        timers.pass(EndLimit.standard)
        timers.run(.last)
        #expect(ended.current == nil)
        timers.pass(EndLimit.patience)
        timers.run(.last)
        #expect(ended.current == EndLimit.standard + EndLimit.patience && log.entries.isEmpty)
        #expect(EndLimit.standard + EndLimit.patience <= .seconds(20))
    }

    @Test("CLI-2: work that ends while its time runs out is not ended again", arguments: [EndTimers.Lane.last, .line])
    func justInTime(lane: EndTimers.Lane) {
        let timers = ScriptedTimers()
        let log = InMemoryLogHandler()
        let (limit, ended) = Self.limit(by: timers, log)
        limit.begin()
        timers.pass(EndLimit.standard)
        if lane == .last { timers.run(.last) }
        limit.finish()
        timers.pass(.seconds(60))
        timers.run(.line)
        timers.run(.last)
        #expect(ended.current == nil && log.entries.isEmpty)
    }

    @Test("CLI-2: work that throws runs no more")
    func thrown() async throws {
        let parts = RunningParts()
        await #expect(throws: Hanging.self) { try await parts.during("failing") { throw Hanging() } }
        #expect(parts.names.isEmpty)
    }

    @Test("CLI-2, PUSH-2: an authorization server that never completes its response does not delay the end")
    func drip() async throws {
        var answer = FormServer.Response(body: "{")
        answer.dripsOn = true
        try await FormServer.run(certificate: nil, answer: answer) { forms in
            try await withStage { stage in
                try await stage.withServer { server in
                    let admin = stage.admin(server)
                    try await admin.createApp()
                    let account = ServiceAccountFile.json(["token_uri": "http://127.0.0.1:\(forms.port)/token"])
                    _ = try await admin.send(
                        .PUT, admin.path("credentials/fcm"), FCMCredentialsRequest(serviceAccount: account),
                        as: FCMCredentialsResponse.self
                    )
                    let device = DeviceCaller(server: server, http: stage.http)
                    try await device.putProperties(ClientProperties(platform: "android"))
                    try await device.linkAnonymously()
                    try await device.putPushToken("a-token-of-fcm", provider: .fcm, environment: .production)
                    let campaign = try await admin.createCampaign("Drip")
                    async let test = admin.send(
                        .POST, admin.path("campaigns/\(campaign)/test"), TestSendRequest(deviceIds: [device.id]),
                        as: TestSendResponse.self
                    )
                    try await eventually("the authorization server is asked") {
                        forms.received.count
                    } until: {
                        $0 > 0
                    }
                    server.run.send(SIGTERM)
                    #expect(await server.run.exit == .code(0), "\(server.run.standardError)")
                    #expect(try await test.results.count == 1, "it was answered before the end")
                }
            }
        }
    }

    @Test("CLI-2, STO-2: SIGTERM ends a server whose database does not respond, and the log says what still ran")
    func frozen() async throws {
        try await withStage { stage in
            try await stage.withDatabase(.postgres) { database in
                let address = try #require(database.environment["BELFRY_DATABASE"])
                try await FreezingProxy.run(before: address) { proxy, address in
                    try await stage.withServer(environment: ServerDatabase.environment(address)) { server in
                        let admin = stage.admin(server)
                        try await admin.createApp()
                        proxy.freeze()
                        let call = Task { try await admin.createCampaign("Never") }
                        try await eventually("the database is asked, and does not answer") {
                            proxy.swallowed
                        } until: {
                            $0 > 0
                        }
                        server.run.send(SIGTERM)
                        let exit = await server.run.exit
                        #expect(exit == .code(EndLimit.exitCode), "\(server.run.standardError)")
                        #expect(server.run.standardError.contains("stillRunning="), "\(server.run.standardError)")
                        #expect(await (try? call.value) == nil)
                    }
                }
            }
        }
    }
}
