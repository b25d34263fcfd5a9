import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct RichConfirmationRepositoryTests {
    @Test("WIRE-11, MC-9: a confirmation is of one device and message, and goes when it is withdrawn or forgotten")
    func confirm() async throws {
        for engine in Engine.allCases {
            let store = try await TestStore.withCenters(engine)
            let (before, withdrawn, after) = try await store.write { connection in
                let confirmations = connection.richConfirmations
                let installation = MessageHolder.installation(1).number
                let places: [(contact: Int64, number: Int64, device: Int64)] = [
                    (1, 1, 1), (1, 2, 1), (1, 1, 2), (2, 1, 1), (installation, 1, 1),
                ]
                func held() throws -> [Bool] {
                    try places.map {
                        try confirmations.contains(
                            contact: $0.contact, campaign: campaign($0.number), device: $0.device
                        )
                    }
                }
                for place in places + places {
                    try confirmations.insert(
                        contact: place.contact, campaign: campaign(place.number), device: place.device, now: storeEpoch
                    )
                }
                let before = try held()
                for _ in 0..<2 { try confirmations.delete(contact: 1, campaign: campaign(1), device: 1) }
                let withdrawn = try held()
                try confirmations.forget(contact: 1, device: 1)
                return (before, withdrawn, try held())
            }
            #expect(before == [true, true, true, true, true])
            #expect(withdrawn == [false, true, true, true, true])
            #expect(after == [false, false, true, true, false])
        }
    }
}
