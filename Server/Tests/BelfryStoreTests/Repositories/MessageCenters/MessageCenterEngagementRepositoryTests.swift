import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct MessageCenterEngagementRepositoryTests {
    @Test("ENG-4: displays and opens are counted by device, and the figures are their sums", arguments: Engine.allCases)
    func counts(_ engine: Engine) async throws {
        let store = try TestStore(engine, isRecycled: true)
        let (rows, sums) = try await store.write { connection in
            let engagement = connection.centerEngagement
            for (kind, device, at) in [
                (.display, 1, 10), (.display, 1, 5), (.open, 1, 20), (.open, 2, 30), (.open, 2, 40), (.open, 2, 25),
            ] as [(MessageCenterEngagement, Int64, Double)] {
                var count = MessageCenterEngagementCount(of: try campaign(1))
                count.add(kind, at: seconds(at))
                try engagement.count([count], device: device)
            }
            var other = MessageCenterEngagementCount(of: try campaign(2))
            other.add(.display, at: seconds(50))
            try engagement.count([other], device: 1)
            return (
                try (1...3).map { try engagement.find(campaign: campaign(1), device: $0) },
                try (1...3).map { try engagement.sums(of: campaign($0)) }
            )
        }
        #expect(rows[0]?.displays == 2 && rows[0]?.opens == 1)
        // The first report, as for every engagement.
        #expect(rows[0]?.displayedAt == seconds(10) && rows[0]?.openedAt == seconds(20))
        #expect(rows[1]?.displays == 0 && rows[1]?.displayedAt == nil && rows[1]?.opens == 3 && rows[2] == nil)
        #expect(sums.map(\.displays) == [2, 1, 0] && sums.map(\.displayedBy) == [1, 1, 0])
        #expect(sums.map(\.opens) == [4, 0, 0] && sums.map(\.openedBy) == [2, 0, 0])
    }
}
