import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import Foundation
import Testing

struct ProcessingTests {
    @Test(
        "REG-26, REG-20: received registrations are processed by themselves, without another call or clock",
        .timeLimit(.minutes(10)))
    func byItself() async throws {
        let world = try await ServiceWorld()
        let processor = world.processor
        let running = Task { try await processor.run() }
        var device = try await ServiceDevice.started(world, 1)
        for _ in 0..<3 {
            let receipt = try await device.register { $0.osVersion = "1" }
            #expect(receipt.status == .received)
            while try await world.registrations.receipt(
                receipt.registrationID, caller: device.authenticated()
            ).value.status == .received {
                await Task.yield()
            }
        }
        #expect(try await world.profile(device).device.revision == 3)
        running.cancel()
        _ = await running.result
    }

    @Test("SEC-8: a group whose registrations take long ends before its last one; the others are the next group's")
    func slowGroup() async throws {
        let world = try await ServiceWorld()
        for number in 1...5 {
            var device = try await ServiceDevice.started(world, number)
            try await device.register { $0.osVersion = "1" }
        }
        let processor = RegistrationProcessor(
            database: world.database, environment: world.slowEnvironment, attempts: world.attempts,
            received: world.received, logger: world.logger
        )
        var groups: [Int] = []
        while groups.last != 0 {
            let count = try await processor.processWaiting()
            groups.append(count)
        }
        // On a cluster each registration has transactions of its own, and nobody waits for the last one.
        #expect(groups.reduce(0, +) == 5 && groups.count > (TestPostgres.isDistributed ? 1 : 2), "\(groups)")
        #expect(try await world.rows("registrations", where: "status = 'received'") == 0)
    }
}
