import BelfrySimulators
import Foundation
import Testing

@Suite("The server is killed under load")
struct KillUnderLoadTests {
    static let devices = 6
    static let rounds = 3

    @Test(
        "REL-1, WIRE-26, EVT-3, REG-20, REG-21: what was acknowledged survives kill -9, once and whole",
        .timeLimit(.minutes(3))
    )
    func acknowledgedWritesSurvive() async throws {
        let seed = Seed.current
        print("REL-1: BELFRY_TEST_SEED=\(seed) repeats this run's choices")
        var random = SimulatorRandom(seed: seed)
        try await withStage { stage in
            var conversations = try await stage.withServer { server in
                try await stage.admin(server).createApp()
                return try await begin(at: server, stage, &random)
            }
            for round in 1...Self.rounds {
                let moment = Int.random(in: 30...150, using: &random)
                let steps = Int.random(in: 0...400, using: &random)
                let context = "Seed \(seed), round \(round), killed after \(moment) acknowledgements, \(steps) steps."
                conversations = try await stage.withServer { server in
                    try await check(conversations, at: server, stage, context)
                    return try await talk(conversations) { answers in
                        await wait(for: moment, of: answers, andThen: steps)
                        #expect(await server.kill9() == .signal(SIGKILL), "\(context)")
                    }
                }
            }
            try await stage.withServer { [conversations] server in
                try await check(conversations, at: server, stage, "Seed \(seed), after the last kill.")
                let all = try await repeatUnacknowledged(conversations)
                #expect(all.allSatisfy { $0.isAcknowledged })
                try await check(all, at: server, stage, "Seed \(seed), everything repeated.")
            }
        }
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
    ) async throws {
        let admin = stage.admin(server)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for conversation in conversations {
                group.addTask {
                    await conversation.device.move(to: server)
                    try await conversation.check(admin, context)
                }
            }
            try await group.waitForAll()
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
