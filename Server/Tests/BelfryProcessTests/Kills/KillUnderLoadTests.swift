import BelfryServerTestSupport
import BelfrySimulators
import Foundation
import Testing

@Suite("The server is killed under load")
struct KillUnderLoadTests {
    static let devices = 6
    static let kills = RunSettings.kills(200, brief: 3)

    @Test(
        "REL-1, WIRE-26, EVT-3, REG-20, REG-21: acknowledged writes survive kill -9, once and completely",
        .timeLimit(.minutes(kills > 3 ? 60 : 30)), arguments: Engine.allCases
    )
    func acknowledgedWritesSurvive(_ engine: Engine) async throws {
        let seed = RunSettings.seed
        print("REL-1: BELFRY_TEST_SEED=\(seed) repeats this run's choices")
        var random = SimulatorRandom(seed: seed)
        try await withStage { stage in
            try await stage.withDatabase(engine) { database in
                try await story(database, stage, seed, &random)
            }
        }
    }

    private func story(
        _ database: ServerDatabase, _ stage: Stage, _ seed: UInt64, _ random: inout SimulatorRandom
    ) async throws {
        var conversations = try await stage.withServer(environment: database.environment) { server in
            try await stage.admin(server).createApp()
            return try await begin(at: server, stage, &random)
        }
        // Writes before the server's death are in the write-ahead log, which the next server reads first.
        var starts: [Duration] = []
        for kill in 1...Self.kills {
            let moment = Int.random(in: 30...150, using: &random)
            let steps = Int.random(in: 0...400, using: &random)
            let context = "Seed \(seed), kill \(kill) after \(moment) acknowledgements, \(steps) steps."
            (conversations, starts) = try await stage.withServer(environment: database.environment) {
                [conversations, starts] server in
                let checked = try await check(conversations, at: server, stage, context)
                let talked = try await talk(checked) { answers in
                    await wait(for: moment, of: answers, andThen: steps)
                    #expect(await server.kill9() == .signal(SIGKILL), "\(context)")
                }
                return (talked, starts + [server.readyAfter])
            }
        }
        try await stage.withServer(environment: database.environment) { [conversations] server in
            let checked = try await check(conversations, at: server, stage, "Seed \(seed), after the last kill.")
            let whole = try await repeatUnacknowledged(checked)
            #expect(whole.allSatisfy { $0.isAcknowledged })
            _ = try await check(whole, at: server, stage, "Seed \(seed), everything repeated.")
            starts.append(server.readyAfter)
        }
        // The first start followed no kill. The duration is not judged here, but by `belfry bench kills`.
        let sorted = starts.dropFirst().sorted()
        print("REL-1: ready after a kill: median \(sorted[sorted.count / 2]), longest \(sorted[sorted.count - 1])")
    }

    private func begin(
        at server: ServerProcess, _ stage: Stage, _ random: inout SimulatorRandom
    ) async throws -> [Conversation] {
        var conversations: [Conversation] = []
        for _ in 0..<Self.devices {
            let device = DeviceCaller(server: server, http: stage.http)
            try await device.linkAnonymously()
            conversations.append(Conversation(device: device, seed: random.next()))
        }
        return conversations
    }

    /// Waits for so many acknowledgements, and then so many steps of the program, so that the kill comes at any moment.
    private func wait(for moment: Int, of answers: AsyncStream<Void>, andThen steps: Int) async {
        var count = 0
        for await _ in answers {
            count += 1
            if count == moment { break }
        }
        for _ in 0..<steps { await Task.yield() }
    }

    private func check(
        _ conversations: [Conversation], at server: ServerProcess, _ stage: Stage, _ context: String
    ) async throws -> [Conversation] {
        let admin = stage.admin(server)
        return try await withThrowingTaskGroup(of: Conversation.self) { group in
            for conversation in conversations {
                group.addTask {
                    var conversation = conversation
                    await conversation.device.move(to: server)
                    try await conversation.check(admin, context)
                    return conversation
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func repeatUnacknowledged(_ conversations: [Conversation]) async throws -> [Conversation] {
        var all: [Conversation] = []
        for var conversation in conversations {
            try await conversation.repeatUnacknowledged()
            all.append(conversation)
        }
        return all
    }
}
