import BelfryModel
import BelfryServices
import Foundation
import Testing

@Suite("Derived event ids")
struct DerivedEventIDTests {
    private static func id(session: String? = nil, attributes: String = "{}") throws -> String {
        EventID.derived(
            client: try DeviceID("00000000-0000-4000-8000-000000000001"), timestamp: ServiceWorld.epoch,
            name: try EventName("purchase"), session: session, attributes: attributes
        ).rawValue
    }

    @Test("WIRE-6: the id never changes: half a SHA-256 of the parts, each with its length")
    func value() throws {
        #expect(try Self.id(attributes: #"{"city":"Zürich"}"#) == "ca58def1a02ba859a3f5cbfc0cba081e")
    }

    @Test("WIRE-6: different parts never give the same id")
    func parts() throws {
        let ids = [
            try Self.id(), try Self.id(session: "{}", attributes: ""), try Self.id(session: "0:{}", attributes: ""),
        ]
        #expect(Set(ids).count == ids.count)
    }
}
