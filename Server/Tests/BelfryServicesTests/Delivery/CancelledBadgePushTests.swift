import BelfryModel
import BelfryServerModel
import BelfryServices
import Testing

struct CancelledBadgePushTests {
    private static var message: MessageCenterContent {
        var message = ServiceWorld.message
        message.badge = BadgeChange(op: .increment)
        return message
    }

    @Test("CAMP-2, LED-1, LED-2: a cancel ends a badge push as placed, and notes its last response")
    func lastWord() async throws {
        let world = try await ServiceWorld()
        let rejected = try await ServiceDevice.registered(world, 1, token: "refused")
        let silent = try await ServiceDevice.registered(world, 2, token: "silent")
        let unsent = try await ServiceDevice.registered(world, 3, token: "unsent")
        world.transport.answer("refused", .serverError)
        world.transport.answer("silent", .silence)
        world.transport.answer("unsent", .unsent)
        let id = try await world.launch(message: Self.message)
        await world.dispatcher().runUntilIdle()
        var expected: [(device: ServiceDevice, note: String)] = []
        for (device, mark) in [(rejected, ""), (silent, "no answer: "), (unsent, "not sent: ")] {
            let note = try #require(try await world.delivery(id, device)?.note)
            #expect(note.hasPrefix(mark) && note.count > mark.count)
            expected.append((device, "badge push: \(note.dropFirst(mark.count))"))
        }
        _ = try await world.campaigns.life.cancel(id, app: world.app)
        try await world.sendToTheEnd()
        for (device, note) in expected {
            let row = try await world.delivery(id, device)
            #expect(row?.state == .accepted && row?.reason == nil && row?.note == note)
            #expect(try await world.inbox(device).count == 1)
        }
        let explanation = try await world.explainer.explain(id, device: rejected.client.rawValue, app: world.app)
        #expect(explanation.sentence.contains("Its badge push failed ('InternalServerError')"))
    }

    @Test("CAMP-2, LED-1: a badge push that is cancelled before its first attempt is noted as cancelled")
    func untried() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        let id = try await world.launch(message: Self.message)
        let mortal = MortalDatabase(
            world.database,
            isLastWrite: { connection in
                try connection.first("SELECT count(*) FROM badges", []) { $0.integer(0) } == 1
            }
        )
        // It dies with the transaction that placed the message: nobody writes down what became of its push.
        await world.dispatcher("a", database: mortal).runUntilIdle()
        let placed = try await world.delivery(id, device)
        #expect(placed?.state == .pending && placed?.note == nil)
        _ = try await world.campaigns.life.cancel(id, app: world.app)
        world.clock.advance(by: 15)
        await world.dispatcher("b").runUntilIdle()
        let row = try await world.delivery(id, device)
        #expect(row?.state == .accepted && row?.note == "badge push: campaignCancelled")
        #expect(try await world.inbox(device).count == 1)
    }
}
