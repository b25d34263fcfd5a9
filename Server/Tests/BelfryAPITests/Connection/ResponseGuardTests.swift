import NIOCore
import NIOEmbedded
import Testing

@testable import BelfryAPI

/// SEC-9: who does not read the responses, moment by moment. All that touches an embedded channel stays on one thread,
/// so in functions that wait for nothing.
@Suite("Responses that nobody reads")
struct ResponseGuardTests {
    private struct Stage {
        let channel = EmbeddedChannel()
        let connection: OpenConnection

        init(rules: ConnectionRules? = nil) throws {
            connection = OpenConnection(id: 1, channel: channel)
            let guardian = ResponseGuard(rules: rules, connection: connection)
            try channel.pipeline.syncOperations.addHandler(guardian)
            channel.connect(to: try SocketAddress(ipAddress: "203.0.113.5", port: 1), promise: nil)
            connection.becameBusy()
        }

        var now: UInt64 { channel.eventLoop.now.uptimeNanoseconds }

        /// The system takes no more.
        func stall() {
            channel.isWritable = false
            channel.pipeline.fireChannelWritabilityChanged()
        }

        func goOn() {
            channel.isWritable = true
            channel.pipeline.fireChannelWritabilityChanged()
        }

        /// Waits until it is flushed.
        func write(_ count: Int) {
            channel.write(ByteBuffer(repeating: 0x61, count: count), promise: nil)
        }

        /// The client takes all that waits, and as much comes after it.
        func exchange(_ count: Int) {
            channel.flush()
            write(count)
        }

        func pass(_ amount: TimeAmount) {
            channel.embeddedEventLoop.advanceTime(by: amount)
        }

        func finish() throws {
            _ = try channel.finish(acceptAlreadyClosed: true)
        }
    }

    @Test("SEC-9: a client that reads nothing for a minute loses the connection, and may be displaced at once")
    func silent() async throws {
        try await TestServer.run { server in
            try Self.silent(server.rules)
            let metrics = server.services.metrics.prometheusText()
            #expect(metrics.contains(#"belfry_connections_ended_total{cause="unread"} 1"#))
        }
    }

    private static func silent(_ rules: ConnectionRules) throws {
        let stage = try Stage(rules: rules)
        stage.pass(.seconds(100))
        #expect(stage.connection.idleSince == nil)
        let since = stage.now
        stage.write(100_000)
        stage.stall()
        #expect(stage.connection.idleSince == since)
        stage.pass(.seconds(59))
        // Further writes to it do not count as progress.
        stage.write(100_000)
        #expect(stage.channel.isActive && stage.connection.idleSince == since)
        stage.pass(ResponseGuard.interval)
        #expect(!stage.channel.isActive)
        try stage.finish()
    }

    @Test("SEC-9: a slow reader keeps the connection, and is idle only since it last read")
    func slow() throws {
        let stage = try Stage()
        stage.write(ReadingPace.leastBytes)
        stage.stall()
        for _ in 0..<100 {
            stage.pass(.seconds(50))
            stage.exchange(ReadingPace.leastBytes)
            stage.pass(ResponseGuard.interval)
            #expect(stage.channel.isActive && stage.connection.idleSince == stage.now)
        }
        try stage.finish()
    }

    @Test("SEC-9: a few bytes now and then are no progress")
    func drip() throws {
        let stage = try Stage()
        stage.write(1_000)
        stage.stall()
        for _ in 0..<14 {
            #expect(stage.channel.isActive && stage.connection.idleSince == 0)
            stage.pass(.seconds(4))
            stage.exchange(1_000)
        }
        stage.pass(.seconds(9))
        #expect(!stage.channel.isActive)
        try stage.finish()
    }

    @Test("SEC-9: a reader is busy while its request is unanswered, however often the channel fills up")
    func fast() throws {
        let stage = try Stage()
        for _ in 0..<1_000 {
            stage.write(100_000)
            stage.stall()
            #expect(stage.connection.idleSince == stage.now)
            stage.pass(.seconds(40))
            stage.channel.flush()
            stage.goOn()
            #expect(stage.connection.idleSince == nil)
        }
        stage.pass(.hours(2))
        #expect(stage.channel.isActive && stage.connection.idleSince == nil)
        try stage.finish()
    }

    @Test("SEC-9: of those that do not read, the one that has not read for the longest time is displaced")
    func givesWay() throws {
        let stages = try (0..<2).map { _ in try Stage() }
        stages[0].stall()
        stages[1].pass(.seconds(1))
        stages[1].stall()
        // Answered meanwhile: it is idle, but not for longer than it has not read.
        stages[0].connection.wentOn(at: .now())
        #expect(stages.map(\.connection.idleSince) == [0, 1_000_000_000])
        for stage in stages { try stage.finish() }
    }

    @Test("SEC-12: responses that nobody reads are bounded in sum; the one that was not read for the longest time ends")
    func memory() async throws {
        var settings = ConnectionRules.Settings()
        settings.bodyMemory = 16 * 1_048_576
        try await TestServer.run(connections: settings) { server in try Self.memory(server.rules) }
    }

    private static func memory(_ rules: ConnectionRules) throws {
        let stages = try (0..<3).map { _ in try Stage(rules: rules) }
        for (index, stage) in stages.enumerated() {
            stage.pass(.seconds(Int64(index)))
            stage.write(7 * 1_048_576)
            stage.stall()
        }
        for stage in stages { stage.channel.embeddedEventLoop.run() }
        #expect(stages.map(\.channel.isActive) == [false, true, true])
        #expect(rules.responses.bytes == 14 * 1_048_576)
        // Read, it counts no longer; what is written to one that does not read does.
        stages[1].channel.flush()
        stages[1].goOn()
        #expect(rules.responses.bytes == 7 * 1_048_576)
        stages[2].write(1_048_576)
        #expect(rules.responses.bytes == 8 * 1_048_576)
        for stage in stages { try stage.finish() }
        #expect(rules.responses.bytes == 0)
    }

    @Test("SEC-9: the program's connections are guarded, in their whole pipeline", .timeLimit(.minutes(15)))
    func inPlace() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            try await StillConnection.run(on: server) { connection in
                let channel = connection.channel
                try await channel.testingEventLoop.executeInContext {
                    channel.isWritable = false
                    channel.pipeline.fireChannelWritabilityChanged()
                }
                await connection.passTime(.seconds(59))
                #expect(await connection.isOpen)
                await connection.passTime(ResponseGuard.interval)
                #expect(await connection.isOpen == false)
            }
        }
    }
}
