import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation

let offers = MessageCenterName(stored: "Offers")

extension KeptMessage {
    /// Sent so many seconds after the epoch, in the app 1.
    static func test(
        _ number: Int64, contact: Int64 = 1, center: MessageCenterName = .primary, sent: TimeInterval = 0,
        expires: TimeInterval? = nil, body: String? = nil, richHTML: String? = nil
    ) throws -> KeptMessage {
        KeptMessage(
            contact: contact, center: center, sentAt: seconds(sent), campaign: try BelfryStoreTests.campaign(number),
            app: 1, expiresAt: expires.map(seconds), body: body, richHTML: richHTML
        )
    }
}

extension TestStore {
    /// With the apps 1 and 2, the contacts 1 to 3 of the first, and what the campaigns 1 to 9 say.
    static func withCenters(_ engine: Engine) async throws -> TestStore {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            try connection.makeContacts(3)
            for number in 1...9 as ClosedRange<Int64> {
                try connection.centerMessages.saveContent(
                    campaign: try campaign(number), variant: nil, body: "body \(number)", richHTML: nil
                )
            }
        }
        return store
    }
}

extension SQLConnection {
    /// Contacts of the app 1, numbered from 1.
    func makeContacts(_ count: Int) throws {
        for number in 1...count {
            _ = try contacts.findOrInsert(app: 1, key: "contact \(number)", known: true, now: storeEpoch)
        }
    }

    /// The campaigns whose messages a contact sees in a center, newest first.
    func seen(_ contact: Int64, in center: MessageCenterName = .primary, at: TimeInterval = 0) throws -> [Int64] {
        try centerMessages.newest(contact: contact, center: center, now: seconds(at), limit: 20).map(\.campaign.number)
    }
}
