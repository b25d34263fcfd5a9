import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct MessageLifeTests {
    @Test(
        "CAMP-5: a message that a rate limit delays beyond its life is suppressed; a life of 0 is never late",
        arguments: [(2, 3), (0, 5)]
    )
    func rate(ttlSeconds: Int, sent: Int) async throws {
        let world = try await ServiceWorld(isOneShard: true)
        try await world.makeFleet(5)
        var content = ServiceWorld.content
        content.ttlSeconds = ttlSeconds
        let id = try await world.launch(push: content, schedule: CampaignSchedule(ratePerSecond: 1))
        try await world.sendToTheEnd()
        // One at once, one a second later, one in the last moment of its life.
        let counts = try await world.counts(id)
        #expect(counts.accepted == sent && counts.suppressed == 5 - sent)
        #expect(world.transport.requests.count == sent)
        for number in 1...5 {
            let row = try await world.delivery(id, ServiceWorld.client(number))
            #expect(row?.state == .accepted || row?.reason == .expired)
        }
        #expect(try await world.campaign(id).status == .completed)
    }
}
