import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// PERF-7: however many messages are stored, a fetch reads those that it answers with.
struct MessageCenterMessagePlanTests {
    private static let contacts: Int64 = 60
    private static let centers = (1...5).map { MessageCenterName(stored: "c\($0)") }

    /// Five centers of twenty messages for each contact, and statistics of them.
    private static func fill(_ store: TestStore) async throws {
        try await store.write { connection in
            try connection.makeContacts(Int(contacts))
            for number in 1...100 as ClosedRange<Int64> {
                let id = try campaign(number)
                try connection.centerMessages.saveContent(campaign: id, variant: nil, body: "b", richHTML: nil)
                try connection.centerMessages.keep(
                    (1...contacts).map {
                        try .test(
                            number, contact: $0, center: centers[Int(number) % 5], sent: Double(number),
                            expires: number.isMultiple(of: 3) ? 1_000 : nil
                        )
                    }
                )
            }
        }
        try await store.write { try $0.analyze(store.engine) }
    }

    private static func arguments(_ center: MessageCenterName) -> [SQLValue] {
        [.integer(7 as Int64), .text(center.rawValue), .date(storeEpoch), .integer(20 as Int64)]
    }

    @Test(
        "PERF-7, MC-5: a fetch uses the key of the messages, without a scan", arguments: Engine.allCases
    )
    func plans(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        try await Self.fill(store)
        let (one, all, together, single) = try await store.read { connection in
            (
                try connection.plan(
                    of: MessageCenterMessageRepository.newestQuery.rowSQL, Self.arguments(.primary), engine
                ),
                try connection.plan(
                    of: MessageCenterMessageRepository.newestSQL(centers: 5), Self.centers.flatMap(Self.arguments),
                    engine
                ),
                try connection.plan(
                    of: MessageCenterMessageRepository.newestTogetherSQL(centers: 5, connection.dialect),
                    Self.centers.flatMap(Self.arguments), engine
                ),
                try connection.plan(
                    of: MessageCenterMessageRepository.findSQL, [.integer(7 as Int64), .integer(3 as Int64)], engine
                )
            )
        }
        for plan in [one, all, together, single] {
            #expect(!plan.contains("SCAN m") && !plan.contains("SCAN c") && !plan.contains("TEMP B-TREE"), "\(plan)")
            #expect(!plan.contains("Seq Scan"), "\(plan)")
        }
        let step = engine == .sqlite ? "SEARCH m USING PRIMARY KEY (contact_id=? AND center=?)" : "center_messages_pkey"
        #expect(one.components(separatedBy: step).count == 2, "\(one)")
        #expect(all.components(separatedBy: step).count == 6, "\(all)")
        #expect(together.components(separatedBy: step).count == 6, "\(together)")
        #expect(single.contains("center_messages_once"), "\(single)")
    }

    @Test("MC-5: a full store returns the newest twenty of each center, newest first", arguments: Engine.allCases)
    func answers(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        try await Self.fill(store)
        let (early, late) = try await store.read { connection in
            let messages = connection.centerMessages
            return (
                try messages.newestByCenter(contact: 7, in: Self.centers, now: storeEpoch, perCenter: 20),
                try messages.newestByCenter(contact: 7, in: Self.centers, now: seconds(1_000), perCenter: 20)
            )
        }
        for (index, center) in Self.centers.enumerated() {
            let numbers = (1...100 as ClosedRange<Int64>).filter { Int($0) % 5 == index }.reversed()
            #expect(early[center]?.map(\.campaign.number) == Array(numbers))
            #expect(late[center]?.map(\.campaign.number) == numbers.filter { !$0.isMultiple(of: 3) })
        }
    }
}
