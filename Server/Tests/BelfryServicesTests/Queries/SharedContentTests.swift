import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// Those who fetch together have the same campaigns' messages for the most part.
struct SharedContentTests {
    @Test(
        "PERF-15, FLEET-4: what a campaign says to all is asked for once, however many fetch it together",
        arguments: Engine.allCases)
    func once(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        let (app, epoch) = (world.app.id, ServiceWorld.epoch)
        let campaigns = (1...3 as ClosedRange<Int64>).compactMap { CampaignID($0) }
        let contacts: [Int64] = try await world.database.write { connection in
            for campaign in campaigns {
                try connection.centerMessages.saveContent(
                    campaign: campaign, variant: nil, body: "to all", richHTML: nil
                )
            }
            var contacts: [Int64] = []
            for number in 1...5 {
                let contact = try connection.contacts.findOrInsert(
                    app: app, key: "c\(number)", known: true, now: epoch
                )
                let messages = campaigns.map { campaign in
                    KeptMessage(contact: contact, center: .primary, sentAt: epoch, campaign: campaign, app: app)
                }
                try connection.centerMessages.keep(messages)
                contacts.append(contact)
            }
            return contacts
        }
        let fetches = contacts.map { contact in
            MessageCenterMessageRepository.Asked(contact: contact, center: .primary, now: epoch)
        }
        let database = CountingDatabase(world.database)
        let (pages, sql) = try await database.read { connection in
            (
                try connection.centerMessages.newest(fetches, limit: 20),
                MessageCenterMessageRepository.contentQuery(connection.dialect).rowSQL
            )
        }
        let bodies = pages.joined().map { String(decoding: $0.body, as: UTF8.self) }
        #expect(bodies == Array(repeating: "to all", count: contacts.count * campaigns.count))
        #expect(database.asked[sql] == campaigns.count)
    }
}
