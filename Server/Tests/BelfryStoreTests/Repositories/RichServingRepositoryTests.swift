import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

struct RichServingRepositoryTests {
    @Test("WIRE-11, MC-9: once for each device and message; the same key may repeat for a day")
    func serve() async throws {
        let day: TimeInterval = 86_400
        for engine in Engine.allCases {
            let store = try await TestStore.withCenters(engine)
            let servings = try await store.write { connection in
                func serve(
                    _ key: String, device: Int64 = 1, contact: Int64 = 1, of number: Int64 = 1, at: TimeInterval = 0
                ) throws -> RichServingRepository.Serving {
                    try connection.richServings.serve(
                        contact: contact, campaign: campaign(number), device: device, key: key, now: seconds(at)
                    )
                }
                return [
                    try serve("é"), try serve("é", at: 5), try serve("e\u{301}"), try serve("b"),
                    try serve("b", device: 2), try serve("b", of: 2), try serve("b", contact: 2),
                    try serve("é", at: day - 1), try serve("é", at: day), try serve("b", device: 2, at: day),
                ]
            }
            #expect(
                servings == [
                    .first, .repeated, .refused, .refused, .first, .first, .first, .repeated, .refused, .refused,
                ]
            )
        }
    }
}
