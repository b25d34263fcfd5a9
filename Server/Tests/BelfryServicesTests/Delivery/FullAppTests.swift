import BelfryModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// A worker that has as many batches of one app under way as it may.
struct FullAppTests {
    @Test("PUSH-5: a worker at an app's limit waits for a batch to end, and does not spin")
    func waits() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(1)
        for _ in 0..<CampaignDispatcher.slots { _ = try await world.launch() }
        while try await world.planner.planNext() {}
        world.transport.hold()
        let dispatcher = world.dispatcher()
        let turn = await withDiscardingTaskGroup(returning: WorkTick.self) { group in
            let turn = await dispatcher.turn(&group)
            world.transport.release()
            return turn
        }
        #expect(turn.begun == CampaignDispatcher.slotsPerApp)
        #expect(turn.next == world.clock.now.addingTimeInterval(CampaignDispatcher.longestWait))
        try await world.sendToTheEnd()
        #expect(world.transport.requests.count == CampaignDispatcher.slots)
    }
}
