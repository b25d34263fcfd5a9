import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

struct MessageHousekeepingTests {
    /// A message of one of four campaigns; those with even numbers have ended.
    private struct AgedMessage {
        let contact: Int64
        let campaign: Int64
        var expires: TimeInterval?
        var deleted: TimeInterval?

        var isEnded: Bool { campaign.isMultiple(of: 2) }

        func isOutlived(before moment: TimeInterval) -> Bool {
            isEnded && [expires, deleted].contains { $0.map { $0 < moment } ?? false }
        }
    }

    private static func messages(seed: UInt64) -> [AgedMessage] {
        var dice = SeededGenerator(seed: seed)
        func moment() -> TimeInterval? {
            Bool.random(using: &dice) ? Double(Int.random(in: 0...20, using: &dice)) : nil
        }
        return (1...12 as ClosedRange<Int64>).flatMap { contact in
            (1...4 as ClosedRange<Int64>).map {
                AgedMessage(contact: contact, campaign: $0, expires: moment(), deleted: moment())
            }
        }
    }

    @Test(
        "MC-5: exactly the messages that expired or were deleted long ago are removed, after their campaign",
        arguments: Engine.allCases, Endurance.seeds(4, brief: 2)
    )
    func messages(_ engine: Engine, seed: UInt64) async throws {
        let store = try await TestStore.withApps(engine)
        let messages = Self.messages(seed: seed)
        let contacts: ClosedRange<Int64> = 3...9
        let (removed, left) = try await store.write { connection in
            try Self.keep(messages, connection)
            var removed: [Int] = []
            while try connection.housekeeping.haveOutlivedMessages(contacts, before: seconds(10)) {
                removed.append(
                    try connection.housekeeping.deleteMessages(of: contacts, before: seconds(10), limit: 3).count
                )
            }
            let left = try connection.query("SELECT contact_id, campaign_id FROM center_messages", []) {
                [$0.integer(0), $0.integer(1)]
            }
            return (removed, left)
        }
        let outlived = messages.filter { contacts.contains($0.contact) && $0.isOutlived(before: 10) }
        #expect(removed.reduce(0, +) == outlived.count && removed.dropLast().allSatisfy { $0 == 3 })
        #expect(
            Set(left)
                == Set(messages.map { [$0.contact, $0.campaign] }).subtracting(
                    outlived.map { [$0.contact, $0.campaign] })
        )
    }

    private static func keep(_ messages: [AgedMessage], _ connection: any SQLConnection) throws {
        try connection.makeContacts(12)
        for number in 1...4 as ClosedRange<Int64> {
            let id = try connection.makeCampaign(app: 1)
            try connection.execute(
                "UPDATE campaigns SET ended_at = ? WHERE id = ?",
                [number.isMultiple(of: 2) ? .date(storeEpoch) : .null, .integer(id.number)]
            )
        }
        for message in messages {
            try connection.centerMessages.keep([
                .test(message.campaign, contact: message.contact, expires: message.expires, body: "b")
            ])
            guard let deleted = message.deleted else { continue }
            _ = try connection.centerMessages.setState(
                .deleted, contact: message.contact, campaign: campaign(message.campaign), at: seconds(deleted)
            )
        }
    }

    @Test("WIRE-11: confirmations of rich content are removed with their message", arguments: Engine.allCases)
    func confirmations(_ engine: Engine) async throws {
        let store = try await TestStore.withCenters(engine)
        let (removed, left) = try await store.write { connection in
            try connection.centerMessages.keep([.test(1), .test(1, contact: 2)])
            for (contact, number) in [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 1)] as [(Int64, Int64)] {
                for device in 1...2 as ClosedRange<Int64> {
                    try connection.richConfirmations.insert(
                        contact: contact, campaign: campaign(number), device: device, now: storeEpoch
                    )
                }
            }
            var removed: [Int] = []
            while try connection.housekeeping.haveOutlivedConfirmations(1...2) {
                removed.append(try connection.housekeeping.deleteConfirmations(of: 1...2, limit: 4))
            }
            let left = try connection.query(
                "SELECT contact_id, campaign_id, device_id FROM rich_confirmations ORDER BY 1, 2, 3", []
            ) { row in (0..<3).map { row.integer($0) } }
            return (removed, left)
        }
        #expect(removed == [4, 2])
        #expect(left == [[1, 1, 1], [1, 1, 2], [2, 1, 1], [2, 1, 2], [3, 1, 1], [3, 1, 2]])
    }
}
