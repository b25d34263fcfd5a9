import BelfryModel
import BelfryServices
import Foundation
import Testing

struct FeedbackTests {
    @Test("REG-32: 'invalid since' opts out only when it is newer than the registration of the token")
    func timestamps() async throws {
        let world = try await ServiceWorld()
        let table: [(seconds: Double, reason: String?)] = [
            (-60, nil), (-0.001, nil), (0, nil), (0.001, "optedOut:token-invalid"), (60, "optedOut:token-invalid"),
        ]
        for (index, row) in table.enumerated() {
            let device = try await ServiceDevice.registered(world, index + 1, token: "token\(index)")
            let registeredAt = world.clock.now
            world.clock.advance(by: 3_600)
            world.transport.answer(
                "token\(index)", .unregistered(since: registeredAt.addingTimeInterval(row.seconds))
            )
            let id = try await world.launch(audience: .deviceIDs([device.client.rawValue]))
            try await world.sendToTheEnd()
            #expect(try await world.eligibility(device) == row.reason, "\(row.seconds)")
            #expect(try await world.delivery(id, device)?.reason?.rawValue == "Unregistered")
            let optOut = try await world.profile(device).device.optOut
            #expect(optOut?.at == (row.reason == nil ? nil : world.clock.now))
        }
    }

    @Test("REG-32: a device that registers its token again during the send is not opted out")
    func registeredMeanwhile() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        world.clock.advance(by: 60)
        world.transport.answer("token1", .unregistered(since: world.clock.now))
        world.transport.hold()
        _ = try await world.launch()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await world.dispatcher().runUntilIdle() }
            await world.transport.received(1)
            world.clock.advance(by: 1)
            try await device.putToken("token1")
            world.transport.release()
            try await group.waitForAll()
        }
        #expect(try await world.eligibility(device) == nil)
    }

    @Test("REG-32: a registration counts from when it was received, however late it is processed")
    func processedLate() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        _ = try await device.register { $0.pushToken = "token1" }
        let received = world.clock.now
        world.clock.advance(by: 3_600)
        try await world.process()
        world.transport.answer("token1", .unregistered(since: received.addingTimeInterval(60)))
        _ = try await world.launch()
        try await world.sendToTheEnd()
        #expect(try await world.eligibility(device) == "optedOut:token-invalid")
    }

    @Test("REG-31: a device that has another token since, or opted out itself, keeps its state")
    func changedMeanwhile() async throws {
        let world = try await ServiceWorld()
        let renewed = try await ServiceDevice.registered(world, 1, token: "token1")
        var rejected = try await ServiceDevice.registered(world, 2, token: "token2")
        world.transport.answerAll(.badDeviceToken)
        world.transport.hold()
        _ = try await world.launch()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await world.dispatcher().runUntilIdle() }
            await world.transport.received(2)
            try await renewed.putToken("new")
            _ = try await rejected.register { $0.pushEnabled = false }
            try await world.process()
            world.transport.release()
            try await group.waitForAll()
        }
        #expect(try await world.eligibility(renewed) == nil)
        #expect(try await world.profile(rejected).device.optOut?.reason == .user)
    }
}
